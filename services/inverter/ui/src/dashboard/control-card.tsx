import type { AdminDevice } from '../api.ts'

/** What is done with the battery at the moment. */
export function ControlCard({ device }: { device: AdminDevice }) {
  return <p className="hearth-dimmed">{device.display_name}</p>
}
