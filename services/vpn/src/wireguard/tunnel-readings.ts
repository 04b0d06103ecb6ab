import type { DeviceState } from './device.ts'
import { mismatches } from './peer-batch.ts'
import { followed, runInTurn, type TunnelContext } from './tunnel-context.ts'
import { repairNow } from './tunnel-repair.ts'

/** Reads a device; readings asked for while one runs share it. */
export function shareReading(context: TunnelContext, name: string): Promise<DeviceState | undefined> {
  const running = context.readings.get(name)
  if (running !== undefined) return running
  const reading = readChecked(context, name).finally(() => context.readings.delete(name))
  context.readings.set(name, reading)
  return reading
}

/** Every reading checks the changes that were made before it began. */
export async function readChecked(context: TunnelContext, name: string): Promise<DeviceState | undefined> {
  const end = context.readBack.begin(name)
  const start = performance.now()
  const state = await context.driver.read(name)
  followed(context, name).readingTime = performance.now() - start
  end(state)
  return state
}

/** Compares changed peers with a reading, and has the interface repaired when they differ. */
export function checkReading(
  context: TunnelContext,
  { name, keys, state }: { name: string; keys: ReadonlySet<string>; state: DeviceState | undefined },
): void {
  const { known } = followed(context, name)
  if (known === undefined || (state !== undefined && mismatches(known.peers, keys, state.peers).length === 0)) return
  runInTurn(context, name, () => repairNow(context, name)).catch((error: unknown) => {
    context.log.error({ err: error, interface: name }, 'a change could not be verified')
  })
}
