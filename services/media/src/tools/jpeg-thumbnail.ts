import { readdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readPicture } from '../pictures/picture.ts'
import type { Conversion } from './ffmpeg.ts'

/** Largest picture of a platform that is taken, bytes. */
const maxBytes = 10 * 1024 ** 2
const timeoutMs = 20_000

/** Demuxer of each kind of picture that is converted: the content alone must not choose one. */
const demuxers = { 'image/png': 'png_pipe', 'image/webp': 'webp_pipe' } as const

/**
 * Makes the picture that a download brought (`thumbnail.…` in the folder) a JPEG. Its header is read first: what would unpack to
 * a huge picture, or is none, is left alone. Undefined when there is no picture to show; that is no failure of the download.
 */
export async function jpegThumbnail(
  folder: string,
  { convert, signal }: { convert: (conversion: Conversion) => Promise<void>; signal: AbortSignal },
): Promise<string | undefined> {
  const jpeg = join(folder, 'thumbnail.jpg')
  const name = (await readdir(folder)).find((each) => /^thumbnail\.\w{1,8}$/.test(each))
  if (name === undefined) return undefined
  const file = join(folder, name)
  const facts = await stat(file)
  const media = facts.isFile() && facts.size <= maxBytes ? readPicture(await readFile(file))?.media : undefined
  if (media === undefined) return undefined
  // Platforms name files by what they were asked for, so the name says nothing.
  const source = join(folder, 'picture')
  await rename(file, media === 'image/jpeg' ? jpeg : source)
  if (media === 'image/jpeg') return jpeg
  const before = ['-f', demuxers[media]]
  const args = ['-frames:v', '1', '-q:v', '2', '-map_metadata', '-1', '-f', 'mjpeg']
  try {
    await convert({ inputs: [source], before, args, output: jpeg, timeoutMs, signal })
    return jpeg
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}
