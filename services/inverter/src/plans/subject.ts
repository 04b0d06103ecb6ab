import { plantId } from '../plant/schema.ts'
import type { PlanDependencies, PlannedDevice, PlanSubject } from './dependencies.ts'
import type { PlanSettings } from './schema.ts'

type Sources = Pick<PlanDependencies, 'devices' | 'plant'>

/** What plans are made for; undefined while there is no such inverter, or no plant. */
export function subjectOf(
  { whole_plant: isWhole, device_id: id }: Pick<PlanSettings, 'whole_plant' | 'device_id'>,
  { devices, plant }: Sources,
): PlanSubject | undefined {
  if (!isWhole) {
    const device = id === '' ? devices()[0] : devices().find((each) => each.id === id)
    return device && { id: device.id, devices: [device] }
  }
  const found = plant()
    .map(({ device_id: own }) => devices().find((each) => each.id === own))
    .filter((device): device is PlannedDevice => device !== undefined)
  return found.length === 0 ? undefined : { id: plantId, devices: found }
}

/** True for what the same plan is for. */
export const isSameSubject = (one: PlanSubject | undefined, other: PlanSubject | undefined): boolean =>
  keyOf(one) === keyOf(other)

const keyOf = (subject: PlanSubject | undefined): string =>
  subject === undefined ? '' : [subject.id, ...subject.devices.map(({ id }) => id)].join(' ')
