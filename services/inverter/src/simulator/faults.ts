import { watchFile, unwatchFile } from 'node:fs'
import { phraseOfZodIssue } from '@hearth/http'
import { OperatorError, type Log } from '@hearth/runtime'
import { z } from 'zod'
import { readJsonFile } from '../catalog/catalog.ts'

const names = z.array(z.string()).max(64)
const hex = z.string().regex(/^(?:[0-9a-f]{2})*$/i, 'must be bytes in hexadecimal')
const ms = z.number().min(0).max(3_600_000)

/**
 * Faults on the wire or in the inverter. Every member can be switched while the simulation runs; members that are
 * left out are off.
 */
export const Faults = z.strictObject({
  /** Time from a request to the first byte of its answer, milliseconds. */
  latencyMs: ms.default(3),
  /** Answers leave byte by byte, so many milliseconds apart. */
  byteByByteMs: ms.default(0),
  /** Answers leave in two pieces, cut after so many bytes. */
  splitAt: z.int().min(0).default(0),
  /** Pause between the pieces of a split answer, milliseconds. */
  splitPauseMs: ms.default(5),
  /** Answers are cut after every escape byte. */
  splitAfterEscape: z.boolean().default(false),
  /** Noise before every answer. */
  noise: z.enum(['none', 'garbage', 'zeros', 'bridge', 'extension']).default('none'),
  /** Every answer is started, cut off and sent again. */
  startByteInside: z.boolean().default(false),
  /** This bit of every answer is flipped, counted from the first of the start byte; -1 for none. */
  flipBit: z.int().min(-1).default(-1),
  /** Share of answers with one random bit flipped. */
  flipShare: z.number().min(0).max(1).default(0),
  /** Bytes that objects answer instead of their value, by metric name. */
  payloads: z.record(z.string(), hex).default({}),
  /** Lengths that long answers declare. */
  longLength: z.enum(['wrong', 'right', 'small', 'large']).default('wrong'),
  /** Long answers break off in the middle. */
  truncateLong: z.boolean().default(false),
  /** Every request is answered by bytes without end, and by nothing else. */
  endless: z.boolean().default(false),
  /** Answers come with another plant address. */
  wrongAddress: z.boolean().default(false),
  /** Requests with a plant address are answered without one. */
  plainForPlant: z.boolean().default(false),
  /** Number of answers to another client before every answer. */
  foreignReplies: z.int().min(0).max(1000).default(0),
  /** An answer to another client for the same object, with these bytes, precedes every answer. */
  foreignSameObject: hex.default(''),
  /** Answers to another client and the answer after them leave in one piece. */
  together: z.boolean().default(false),
  /** These objects answer so much later, milliseconds, by metric name. */
  lateReplies: z.record(z.string(), ms).default({}),
  /** Nothing is answered. */
  silent: z.boolean().default(false),
  /** These objects are not answered. */
  silentFor: names.default([]),
  /** No connection is accepted. */
  refuse: z.boolean().default(false),
  /** Connections are closed as soon as they are accepted. */
  closeOnAccept: z.boolean().default(false),
  /** The connection is reset after so many bytes of a request arrived; 0 for never. */
  resetAfterBytes: z.int().min(0).default(0),
  /** The connection is reset when a write arrives. */
  resetOnWrite: z.boolean().default(false),
  /** Something that is no inverter listens. */
  otherService: z.enum(['none', 'http', 'ssh', 'tls']).default('none'),
  /** Connections beyond this number are closed as soon as they are accepted; 0 for no limit. */
  maxClients: z.int().min(0).default(0),
  /** Nothing is read from the connection. */
  notReading: z.boolean().default(false),
  /** The bootloader runs: it announces itself and answers nothing. */
  bootloader: z.boolean().default(false),
  /** Periodic reading is not answered. */
  ignorePeriodic: z.boolean().default(false),
  /** Writing the interval has no effect. */
  ignorePeriodWrite: z.boolean().default(false),
  /** Registered values are no longer sent. */
  periodicStops: z.boolean().default(false),
  /** The connection is closed at this registration; 0 for never. */
  dropAtRegistration: z.int().min(0).default(0),
  /** Writing these registers has no effect. */
  stuck: names.default([]),
  /** Written values take effect so much later, milliseconds. */
  writeDelayMs: ms.default(0),
  /** Writes are answered, although devices do not. */
  answerWrites: z.boolean().default(false),
  /** These objects hold these values, whatever the plant does. */
  values: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])).default({}),
  /** Unit in which the log holds energies. */
  loggerUnit: z.enum(['Wh', 'W']).default('Wh'),
  /** Another firmware than before is installed: the boot loader runs for ten seconds, and this firmware after that. */
  firmware: z
    .string()
    .regex(/^\d{0,10}$/, 'must be digits')
    .default(''),
  /** Plant values do not change. */
  frozenPlant: z.boolean().default(false),
})
export type Faults = z.output<typeof Faults>

/** No fault at all. */
export const noFaults: Faults = Faults.parse({})

/** Interval at which the file is checked, milliseconds. */
const checkInterval = 500

/**
 * Applies the faults of a file now and whenever it changes; content that is not right later is logged once and leaves the
 * faults as they are. Throws an `OperatorError` when it is not right at the start. Returns what ends the watching.
 */
export function followFaultsFile(
  file: string,
  { log, apply }: { log: Log; apply: (faults: Faults) => void },
): () => void {
  apply(readFaults(file))
  const update = () => {
    try {
      apply(readFaults(file))
      log.info(`faults of ${file} are in force`)
    } catch (error) {
      log.error(error instanceof Error ? error.message : `${file} cannot be read`)
    }
  }
  watchFile(file, { interval: checkInterval }, update)
  return () => unwatchFile(file, update)
}

function readFaults(file: string): Faults {
  const result = Faults.safeParse(readJsonFile(file, '--faults'))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new OperatorError(
    `--faults: ${issue?.path.join('.') ?? ''} ${issue === undefined ? 'is not valid' : phraseOfZodIssue(issue)} in ${file}`,
  )
}
