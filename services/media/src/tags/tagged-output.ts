import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Conversion, Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { pictureComment, type Cover } from './cover.ts'
import { createFreeformAtoms } from './freeform-atoms.ts'
import type { MediaTags } from './media-tags.ts'
import { metadataText, type TagForm } from './metadata-text.ts'

/** Tags and cover of a file that ffmpeg makes. */
export interface TagTask {
  readonly tags: MediaTags
  readonly form: TagForm
  readonly cover: Cover | undefined
  /** Number of pictures that the media has. */
  readonly videos: number
}

/** Converts into a file with tags; a picture that ffmpeg does not read costs the cover, and neither the tags nor the file. */
export async function convertTagged(
  ffmpeg: Pick<Ffmpeg, 'convert'>,
  conversion: Conversion,
  task: TagTask,
): Promise<void> {
  try {
    await convertOnce(ffmpeg, conversion, task)
  } catch (error) {
    const mayBeCover = task.cover !== undefined && error instanceof MediaFailure && error.code === 'conversion'
    if (!mayBeCover) throw error
    await convertOnce(ffmpeg, conversion, { ...task, cover: undefined })
  }
}

async function convertOnce(ffmpeg: Pick<Ffmpeg, 'convert'>, conversion: Conversion, task: TagTask): Promise<void> {
  const { inputs, args, output } = conversion
  const tagged = await prepareTags(task, dirname(output), inputs.length)
  await ffmpeg.convert({ ...conversion, inputs: [...inputs, ...tagged.inputs], args: [...args, ...tagged.args] })
  await tagged.complete(output)
}

/** Additions to a command of ffmpeg so that its output carries tags. */
interface TaggedOutput {
  /** Further inputs, behind the media. */
  readonly inputs: readonly string[]
  /** Arguments for the output, behind those that choose and encode the media. */
  readonly args: readonly string[]
  /** Completes the output; to be called before it is used. */
  complete(output: string): Promise<void>
}

/**
 * Prepares the tags of one command, whose media has so many inputs: titles and the like stand in a file in the folder that ffmpeg
 * reads, so no text of a platform becomes an argument. Tags that the source has are replaced, and its chapters are kept where the
 * platform names none.
 */
async function prepareTags(task: TagTask, folder: string, inputs: number): Promise<TaggedOutput> {
  const { tags, form, cover, videos } = task
  const atoms = form === 'mp4' ? createFreeformAtoms(tags) : undefined
  const more = {
    ...(atoms?.filler === undefined ? {} : { lyrics: atoms.filler }),
    ...(cover === undefined || coverOf[form] !== 'comment' ? {} : { METADATA_BLOCK_PICTURE: pictureComment(cover) }),
  }
  const text = join(folder, 'tags.txt')
  await writeFile(text, metadataText(tags, form, more), { mode: 0o600 })
  const hasPicture = cover !== undefined && coverOf[form] === 'stream'
  const chapters = tags.chapters.length > 0 ? inputs : 0
  const shared = ['-map_metadata', String(inputs), '-map_chapters', String(form === 'riff' ? -1 : chapters)]
  const picture = hasPicture ? pictureArgs(inputs + 1, videos) : []
  return {
    inputs: [text, ...(hasPicture ? [cover.file] : [])],
    args: [...shared, ...picture, ...containerArgs[form]],
    complete: (output) => atoms?.write(output) ?? Promise.resolve(),
  }
}

const containerArgs: Readonly<Record<TagForm, readonly string[]>> = {
  // The version that every player and file manager reads.
  id3: ['-id3v2_version', '3', '-write_id3v1', '0'],
  mp4: ['-movflags', '+faststart'],
  // Ogg keeps the tags with the sound, where those of the source would win.
  opus: ['-map_metadata:s', '-1'],
  vorbis: ['-map_metadata:s', '-1'],
  flac: [],
  riff: [],
}

/** How a cover goes into a file: as a picture beside the sound, or as a comment; WAV takes none. */
const coverOf: Readonly<Record<TagForm, 'stream' | 'comment' | undefined>> = {
  id3: 'stream',
  mp4: 'stream',
  flac: 'stream',
  opus: 'comment',
  vorbis: 'comment',
  riff: undefined,
}

function pictureArgs(input: number, videos: number): string[] {
  const stream = `v:${videos}`
  return [
    '-map',
    `${input}:v:0`,
    `-c:${stream}`,
    'copy',
    `-disposition:${stream}`,
    'attached_pic',
    `-metadata:s:${stream}`,
    'title=Cover',
    `-metadata:s:${stream}`,
    'comment=Cover (front)',
  ]
}
