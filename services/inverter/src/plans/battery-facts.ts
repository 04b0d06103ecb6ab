import { plantId } from '../plant/schema.ts'
import type { PlanDependencies, PlannedDevice, PlanSubject } from './dependencies.ts'
import type { PlanSettings } from './schema.ts'
import { type DeviceFacts } from './site-of.ts'

/** The inverter stops there when it does not say where. */
const usualMinSoc = 0.07

/** What is known of the batteries of a plan, and in words what is not. */
export interface BatteryFacts {
  readonly devices: readonly DeviceFacts[]
  /** Why the battery of an inverter is not part of the plan, by its id. */
  readonly leftOut: ReadonlyMap<string, string>
  /** Why there is no plan. */
  readonly missing: readonly string[]
}

interface FactSources {
  readonly dependencies: PlanDependencies
  readonly settings: PlanSettings
  readonly subject: PlanSubject
}

/** Asks the batteries of a plan. A plan for several goes on without those that say nothing. */
export async function batteryFacts({ dependencies, settings, subject }: FactSources): Promise<BatteryFacts> {
  const found = await Promise.all(
    subject.devices.map(async (device) =>
      Object.assign({ id: device.id }, await factsOf(device, { dependencies, settings, subject })),
    ),
  )
  const devices = found.map(({ facts }) => facts).filter((facts) => facts !== undefined)
  const leftOut = new Map(
    found
      .filter(({ facts, hasBattery }) => facts === undefined && hasBattery)
      .map(({ id, reasons }) => [id, reasons.join(' ')]),
  )
  const missing = devices.length > 0 ? [] : found.flatMap(({ reasons }) => reasons)
  return { devices, leftOut, missing }
}

const unknown = { soc: null, minSoc: null }

/** What a battery says. Of several, one whose inverter is away says nothing: the plan of the others goes on without it. */
async function readingOf(id: string, { dependencies, subject }: Omit<FactSources, 'settings'>) {
  const isOneOfSeveral = subject.devices.length > 1
  if (isOneOfSeveral && !dependencies.isThere(id)) return unknown
  const reading = await dependencies.readBattery(id)
  return isOneOfSeveral && reading.isStale ? unknown : reading
}

/** What is known of one battery. */
interface FoundBattery {
  readonly facts: DeviceFacts | undefined
  /** What is missing, in words. */
  readonly reasons: readonly string[]
  /** False for one of several inverters of which nothing speaks of a battery: no content, no charge and no limits. */
  readonly hasBattery: boolean
}

async function factsOf(
  planned: PlannedDevice,
  { dependencies, settings, subject }: FactSources,
): Promise<FoundBattery> {
  const { id, displayName } = planned
  const device = dependencies.devices().find((each) => each.id === id)
  const { soc, minSoc } = await readingOf(id, { dependencies, subject })
  // One content for all is that of the only battery.
  const entered =
    subject.id === plantId
      ? settings.batteries.find((each) => each.device_id === id)?.capacity_wh
      : settings.capacity_wh
  const capacityWh = entered ?? (await dependencies.history.capacityOf(id))
  const { maxChargePowerW: chargeW, maxDischargePowerW: dischargeW } = device ?? planned
  const name = displayName || id
  if (soc !== null && capacityWh !== null && chargeW !== null && dischargeW !== null)
    return {
      facts: { id, soc, capacityWh, chargeW, dischargeW, minSoc: minSoc ?? usualMinSoc },
      reasons: [],
      hasBattery: true,
    }
  const unknownContent =
    subject.id === plantId
      ? `The content of the battery of ${name} is not known; enter it in the settings.`
      : 'The content of the battery is not known; enter it in the settings.'
  const reasons = [
    soc === null && `The inverter ${name} does not say how full its battery is.`,
    capacityWh === null && unknownContent,
    (chargeW === null || dischargeW === null) &&
      `The inverter ${name} has no power limits; set them on the page Inverters.`,
  ]
  const hasBattery = (soc ?? 0) > 0 || capacityWh !== null || chargeW !== null || dischargeW !== null
  return { facts: undefined, reasons: reasons.filter((text) => text !== false), hasBattery }
}
