import { readFile } from 'node:fs/promises'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { readPicture } from '../pictures/picture.ts'

/** Picture of a job that goes into its files as the cover: a local file and its content. */
export interface Cover {
  readonly file: string
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

/** Bounds of a cover: bytes, and pixels, because a small file may unpack to a huge picture. */
const max = { bytes: 3 * 1024 ** 2, pixels: 16_000_000 }

/** Calls the work with the job's picture if it is a JPEG within bounds, and otherwise without one. */
export async function withCover<T>(
  artifacts: ArtifactStore,
  jobId: string,
  work: (cover: Cover | undefined) => Promise<T>,
): Promise<T> {
  const facts = await artifacts.stat(jobId, 'thumbnail.jpg')
  if (facts === undefined || facts.size > max.bytes) return work(undefined)
  return artifacts.withLocalFile(jobId, 'thumbnail.jpg', async (file) => work(await readCover(file)))
}

/** Reads a local picture; undefined unless it is a JPEG within bounds. It is not unpacked. */
export async function readCover(file: string): Promise<Cover | undefined> {
  const bytes = await readFile(file)
  const picture = readPicture(bytes)
  const isGood =
    picture?.media === 'image/jpeg' && bytes.length <= max.bytes && picture.width * picture.height <= max.pixels
  return isGood ? { file, bytes, width: picture.width, height: picture.height } : undefined
}

/** A cover as a comment of Ogg files has it: the picture block of FLAC, base64. */
export function pictureComment({ bytes, width, height }: Cover): string {
  const number = (value: number) => {
    const field = Buffer.alloc(4)
    field.writeUInt32BE(value)
    return field
  }
  const type = Buffer.from('image/jpeg')
  // 3 is the front cover; then no description, 24 bits a pixel, no palette.
  const parts = [number(3), number(type.length), type, number(0), number(width), number(height), number(24), number(0)]
  return Buffer.concat([...parts, number(bytes.length), bytes]).toString('base64')
}
