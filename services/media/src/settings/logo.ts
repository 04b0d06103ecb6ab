import { createHash, randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { invalid, notFound, tooLarge, unavailable } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { Logo } from './logo-schema.ts'
import { isWhole } from './png-data.ts'
import { PngError, readPngFacts, type PngFacts } from './png-facts.ts'
import { deleteFile, readFile, writeFileRow } from './store.ts'
import { logoFile } from './watermark.ts'

/** The logo of one's own. Throws problems that say what is wrong with a picture. */
export interface Logos {
  describe(): Promise<Logo>
  /** The PNG; a problem when there is none. */
  read(): Promise<Uint8Array>
  save(bytes: Uint8Array): Promise<Logo>
  remove(): Promise<Logo & { removed: boolean }>
}

export interface LogoParts {
  readonly db: Kysely<Tables>
  /** Decodes what is to be stored, in a process with limits: what it cannot read now it cannot lay over a video later. */
  readonly ffmpeg: Pick<Ffmpeg, 'hasTransparency'>
  /** Folder for files on their way. */
  readonly scratch: string
}

/** Bounds of an uploaded logo: size in bytes, lengths in pixels, proportions as width to height. */
const rule = { bytes: 2 * 1024 * 1024, least: 32, most: 4096, pixels: 16 * 1024 * 1024, flattest: 0.1, widest: 20 }
const patience = 20_000

/** Keeps the logo in the database, where every process finds it. */
export function createLogos({ db, ffmpeg, scratch }: LogoParts): Logos {
  async function describe(): Promise<Logo> {
    const bytes = await readFile(db, logoFile)
    if (bytes === undefined) return { custom: false, width: null, height: null, bytes: null, fingerprint: null }
    const { width, height } = readPngFacts(bytes)
    return { custom: true, width, height, bytes: bytes.length, fingerprint: digestOf(bytes).slice(0, 16) }
  }

  return {
    describe,
    async read() {
      const bytes = await readFile(db, logoFile)
      if (bytes === undefined) throw notFound('logo')
      return bytes
    },
    async save(bytes) {
      if (bytes.length > rule.bytes) throw tooLarge('The logo must not be larger than 2 MB')
      const facts = factsOf(bytes)
      const fault = faultOf(facts)
      if (fault !== undefined) throw refused(fault)
      if (!(await isWhole(facts))) throw refused('it cannot be decoded')
      const file = join(scratch, `logo-${randomUUID()}.png`)
      try {
        await writeFile(file, bytes, { mode: 0o600, flag: 'wx' })
        if (!(await ffmpeg.hasTransparency(file, AbortSignal.timeout(patience))))
          throw refused('none of its pixels is transparent, so it would cover a part of the video')
      } catch (error) {
        if (!(error instanceof MediaFailure)) throw error
        throw error.code === 'conversion' ? refused('it cannot be decoded') : unavailable(error.message)
      } finally {
        await rm(file, { force: true })
      }
      await writeFileRow(db, { name: logoFile, digest: digestOf(bytes), bytes })
      return describe()
    },
    async remove() {
      const removed = await deleteFile(db, logoFile)
      return { ...(await describe()), removed }
    },
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

/** What is wrong with a picture by what it says of itself. */
function faultOf({ width, height, hasAlpha, isAnimated }: PngFacts): string | undefined {
  const size = `${width} × ${height}`
  if (isAnimated) return 'it is animated'
  if (Math.min(width, height) < rule.least) return `${size} pixels are too few; at least 32 on each side are needed`
  if (Math.max(width, height) > rule.most) return `${size} pixels are too many; at most 4096 on each side are taken`
  if (width * height > rule.pixels) return `${size} pixels are too many in all`
  if (width / height < rule.flattest || width / height > rule.widest)
    return `${size} is too long; its width must be between a tenth of its height and twenty times as much`
  return hasAlpha ? undefined : 'it has no transparency; save it as a PNG with an alpha channel'
}
