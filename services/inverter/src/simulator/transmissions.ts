import type { Catalog } from '../catalog/catalog.ts'
import { encodeFrame } from '../protocol/frame.ts'
import { answerBytes, type Answer } from './answer-bytes.ts'
import { damaged } from './damage.ts'
import type { Faults } from './faults.ts'
import type { Transmission } from './serial-line.ts'

/** An answer: its payload, and whether it takes the long form. */
export interface Reply {
  readonly payload: Uint8Array
  readonly isLong: boolean
}

/** The longest payload of a short answer, bytes. */
export const longestShort = 246

/** Bytes by which a bootloader announces itself. */
export const bootloaderAnnouncement: Uint8Array = Buffer.from('50f705ab', 'hex')

/** The beginning of an answer that never ends. */
const endlessBytes: Uint8Array = Buffer.concat([Buffer.from('2b06ffff', 'hex'), Buffer.alloc(20_000, 1)])

/** Returns the transmissions for one answer: answers to others, then the answer itself, as the faults have it. */
export function transmissionsOf(
  answer: Answer,
  { faults, catalog, seed }: { faults: Faults; catalog: Catalog; seed: number },
): Transmission[] {
  if (faults.endless) return [{ parts: [endlessBytes], afterMs: 0, pauseMs: 0 }]
  const address = seenAddress(answer.address, faults)
  const bytes = answerBytes({ ...answer, address }, faults)
  const own = {
    parts: damaged(bytes, faults, { seed, count: answer.count }),
    afterMs: faults.latencyMs,
    pauseMs: faults.byteByByteMs || faults.splitPauseMs,
  }
  const before = foreignFrames(answer.objectId, address, { faults, catalog })
  return faults.together ? [{ ...own, parts: [joined([...before, own])] }] : [...before, own]
}

const joined = (all: readonly Transmission[]): Uint8Array => Buffer.concat(all.flatMap(({ parts }) => parts))

function seenAddress(address: number | undefined, { plainForPlant, wrongAddress }: Faults): number | undefined {
  if (plainForPlant) return undefined
  return wrongAddress ? (address ?? 0) + 1 : address
}

/** Answers that somebody else asked for. */
function foreignFrames(
  objectId: number,
  address: number | undefined,
  { faults, catalog }: { faults: Faults; catalog: Catalog },
): Transmission[] {
  const others = catalog.objects.filter((object) => object.type === 'float' && object.objectId !== objectId)
  const strangers = Array.from({ length: faults.foreignReplies }, (_, index) => ({
    objectId: others[index % others.length]?.objectId ?? 1,
    payload: Buffer.from('44800000', 'hex'),
  }))
  const same =
    faults.foreignSameObject === '' ? [] : [{ objectId, payload: Buffer.from(faults.foreignSameObject, 'hex') }]
  return [...strangers, ...same].map((frame) => ({
    parts: [encodeFrame({ command: 'response', address, objectId: frame.objectId, payload: frame.payload })],
    afterMs: 1,
    pauseMs: 0,
  }))
}
