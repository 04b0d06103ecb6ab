import { open, type FileHandle } from 'node:fs/promises'
import { replayGain, replayPeak, type MediaTags } from './media-tags.ts'

/**
 * MP4 has no atoms for the key and for replay gain; players read them from freeform atoms (`----`), which ffmpeg cannot write. It
 * is given a text of the same length instead, as lyrics, and that atom is then overwritten in place: nothing in the file moves.
 */
export interface FreeformAtoms {
  /** Text that ffmpeg writes as `lyrics`; undefined when there is nothing to write. */
  readonly filler: string | undefined
  /** Puts the atoms in the place of the filler. Throws an `Error` when it is not there. */
  write(file: string): Promise<void>
}

/** Largest description of a file that is read into memory, bytes. */
const maxMoov = 256 * 1024 ** 2
const lyrics = '\u00a9lyr'

/** Creates the atoms of some tags. */
export function createFreeformAtoms({ key, loudness, peak }: MediaTags): FreeformAtoms {
  const values = {
    initialkey: key,
    replaygain_track_gain: loudness === null ? null : replayGain(loudness),
    replaygain_track_peak: peak === null ? null : replayPeak(peak),
  }
  const atoms = Buffer.concat(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [freeform(name, value)])),
  )
  if (atoms.length === 0) return { filler: undefined, write: () => Promise.resolve() }
  // An atom of a text has a head of 8 bytes, and its data one of 16.
  const filler = 'x'.repeat(atoms.length - 24)
  return { filler, write: (file) => replaceLyrics(file, filler, atoms) }
}

function atom(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8, 0)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}

function freeform(name: string, value: string): Buffer {
  const version = Buffer.alloc(4)
  const textType = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])
  return atom(
    '----',
    Buffer.concat([
      atom('mean', Buffer.concat([version, Buffer.from('com.apple.iTunes')])),
      atom('name', Buffer.concat([version, Buffer.from(name)])),
      atom('data', Buffer.concat([textType, Buffer.from(value)])),
    ]),
  )
}

async function replaceLyrics(file: string, filler: string, atoms: Buffer): Promise<void> {
  await using handle = await open(file, 'r+')
  const moov = await findMoov(handle)
  const content = Buffer.alloc(moov.length)
  await handle.read(content, 0, moov.length, moov.at)
  const at = findLyrics(content)
  if (at === undefined || content.toString('latin1', at + 24, at + atoms.length) !== filler)
    throw new Error('the place for the tags is not in the file')
  await handle.write(atoms, 0, atoms.length, moov.at + at)
}

/** Content of the box that describes the file, which may stand before or behind the media. */
async function findMoov(handle: FileHandle): Promise<{ at: number; length: number }> {
  const { size } = await handle.stat()
  const head = Buffer.alloc(16)
  for (let at = 0; at + 8 <= size;) {
    await handle.read(head, 0, 16, at)
    const short = head.readUInt32BE(0)
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? size - at : short
    if (head.toString('latin1', 4, 8) === 'moov' && length <= maxMoov) return { at: at + 8, length: length - 8 }
    at += Math.max(8, length)
  }
  throw new Error('the file has no description')
}

/** Place of the atom with the lyrics in the content of `moov`. */
function findLyrics(content: Buffer): number | undefined {
  let [from, to] = [0, content.length]
  for (const name of ['udta', 'meta', 'ilst', lyrics]) {
    const found = findAtom(content, { from, to, name })
    if (found === undefined) return undefined
    if (name === lyrics) return found.at
    // `meta` has four bytes before its boxes.
    from = found.at + 8 + (name === 'meta' ? 4 : 0)
    to = found.at + found.length
  }
  return undefined
}

function findAtom(content: Buffer, { from, to, name }: { from: number; to: number; name: string }) {
  for (let at = from; at + 8 <= to;) {
    const length = content.readUInt32BE(at)
    if (length < 8 || at + length > to) return undefined
    if (content.toString('latin1', at + 4, at + 8) === name) return { at, length }
    at += length
  }
  return undefined
}
