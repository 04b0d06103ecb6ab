import type { AdminDevice } from '../api.ts'

/** All objects of the catalog. */
export function ParameterTable({ devices }: { devices: readonly AdminDevice[] }) {
  return <p>{devices.length}</p>
}
