import { createHash, randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { invalid, notFound, tooLarge, unavailable } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { Logo } from './schema.ts'
import { isWhole, PngError, readPngFacts, type PngFacts } from './png-facts.ts'
import { deleteFile, readFile, writeFileRow } from './store.ts'
import { logoFile } from './watermark.ts'

export interface LogoDependencies {
  readonly db: Kysely<Tables>
  /** Decodes what is to be stored, in a process with limits: what it cannot read now it cannot lay over a video later. */
  readonly ffmpeg: Pick<Ffmpeg, 'hasTransparency'>
  /** Folder for temporary files. */
  readonly scratch: string
}

/** Maximum size of an uploaded logo, bytes. */
export const maxLogoBytes = 2 * 1024 * 1024
/** Bounds of an uploaded logo: lengths in pixels, proportions as width to height. */
const rule = { min: 32, max: 4096, pixels: 16 * 1024 * 1024, minRatio: 0.1, maxRatio: 20 }
const decodeTimeout = 20_000

/** The uploaded logo, in the database, where every process finds it. Throws problems that say what is wrong with a picture. */
export type Logos = ReturnType<typeof createLogos>

/** Creates the store of the logo. */
export function createLogos(dependencies: LogoDependencies) {
  const { db } = dependencies

  async function describe(): Promise<Logo> {
    const bytes = await readFile(db, logoFile)
    if (bytes === undefined) return { custom: false, width: null, height: null, bytes: null, fingerprint: null }
    const { width, height } = readPngFacts(bytes)
    return { custom: true, width, height, bytes: bytes.length, fingerprint: digestOf(bytes).slice(0, 16) }
  }

  return {
    describe,
    /** Returns the PNG; throws a problem when there is none. */
    async read(): Promise<Uint8Array> {
      const bytes = await readFile(db, logoFile)
      if (bytes === undefined) throw notFound('logo')
      return bytes
    },
    async save(bytes: Uint8Array): Promise<Logo> {
      if (bytes.length > maxLogoBytes) throw tooLarge('The logo must not be larger than 2 MB')
      const facts = factsOf(bytes)
      const fault = problemIn(facts)
      if (fault !== undefined) throw refused(fault)
      if (!(await isWhole(facts))) throw refused('it cannot be decoded')
      await checkTransparency(dependencies, bytes)
      await writeFileRow(db, { name: logoFile, digest: digestOf(bytes), bytes })
      return describe()
    },
    async remove(): Promise<Logo & { removed: boolean }> {
      const removed = await deleteFile(db, logoFile)
      return { ...(await describe()), removed }
    },
  }
}

async function checkTransparency({ scratch, ffmpeg }: LogoDependencies, bytes: Uint8Array): Promise<void> {
  const file = join(scratch, `logo-${randomUUID()}.png`)
  try {
    await writeFile(file, bytes, { mode: 0o600, flag: 'wx' })
    if (!(await ffmpeg.hasTransparency(file, AbortSignal.timeout(decodeTimeout))))
      throw refused('none of its pixels is transparent, so it would cover a part of the video')
  } catch (error) {
    if (!(error instanceof MediaFailure)) throw error
    throw error.code === 'conversion' ? refused('it cannot be decoded') : unavailable(error.message)
  } finally {
    await rm(file, { force: true })
  }
}

const refused = (reason: string) => invalid(`file: The picture is refused: ${reason}`, 'logo_invalid')
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function factsOf(bytes: Uint8Array): PngFacts {
  try {
    return readPngFacts(bytes)
  } catch (error) {
    throw error instanceof PngError ? refused(error.message) : error
  }
}

/** Returns the reason to refuse a picture by its header; undefined for none. */
function problemIn({ width, height, hasAlpha, isAnimated }: PngFacts): string | undefined {
  const size = `${width} × ${height}`
  if (isAnimated) return 'it is animated'
  if (Math.min(width, height) < rule.min) return `${size} pixels are too few; at least 32 on each side are needed`
  if (Math.max(width, height) > rule.max) return `${size} pixels are too many; at most 4096 on each side are taken`
  if (width * height > rule.pixels) return `${size} pixels are too many in total`
  if (width / height < rule.minRatio || width / height > rule.maxRatio)
    return `${size} is too long; its width must be between a tenth of its height and twenty times as much`
  return hasAlpha ? undefined : 'it has no transparency; save it as a PNG with an alpha channel'
}
