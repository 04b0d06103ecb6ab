import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { endure } from '../test/endurance.ts'

/**
 * `npm run bench -- inverter/endurance [HOURS] [SPEED] [SEED]`: a gateway and a simulated inverter with faults for a day of
 * fast time, about five minutes. Prints the heap every hour; ends with 1 when something stays stuck or memory grows.
 */

/** Maximum growth of the heap after the first hours, MiB. The buffers of frames and values fill up before that. */
const maxGrowth = 24

const [hours = 24, speed = 300, seed = 1] = process.argv.slice(2).map(Number)
setFlagsFromString('--expose_gc')
globalThis.gc = runInNewContext('gc') as typeof globalThis.gc
const mebibytes = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10
const begin = performance.now()
const { answers, failures, heaps } = await endure({
  hours,
  speed,
  seed,
  onHour: (hour, heap) => process.stdout.write(`hour ${hour}: ${mebibytes(heap)} MiB\n`),
})
const settled = heaps[Math.min(heaps.length - 1, Math.floor(heaps.length / 4))] ?? 0
const growth = mebibytes((heaps.at(-1) ?? 0) - settled)
process.stdout.write(`${hours} hours in ${Math.round((performance.now() - begin) / 1000)} s, ${failures} failures\n`)
process.stdout.write(`answers by status: ${JSON.stringify(answers)}\n`)
process.stdout.write(`heap at the end: ${mebibytes(heaps.at(-1) ?? 0)} MiB, ${growth} MiB more than after a quarter\n`)
process.exit(growth <= maxGrowth ? 0 : 1)
