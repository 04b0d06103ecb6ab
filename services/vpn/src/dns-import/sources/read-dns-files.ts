import { unzipSync } from 'fflate'
import { ForeignStore, isDatabaseFile } from '../../foreign-files/foreign-store.ts'
import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import type { FoundDns } from '../found-dns.ts'
import { readAdGuardHome } from './adguard-home.ts'
import { isGravity, readGravity, readPiHoleFile } from './pi-hole.ts'

/** Bytes of a file in a teleporter, at most. */
const maxUnpacked = 64 * 1_048_576

/** Files of a teleporter that are read. */
const wanted = /(?:^|\/)(?:pihole\.toml|gravity\.db)$/

/** Reads the files of AdGuard Home or Pi-hole, by what they hold. Throws a `FileProblem` for one that cannot be used. */
export function readDnsFiles(files: readonly GivenFile[]): FoundDns[] {
  return files.flatMap((file) => (isZip(file) ? unpack(file).map(readOne) : [readOne(file)]))
}

/** Returns true if a file is of a DNS filter, and not of a server: by its name, or the tables of a database. */
export function isDnsFile(file: GivenFile): boolean {
  if (isZip(file) || /\.(?:ya?ml|toml)$/i.test(file.name)) return true
  if (!isDatabaseFile(file)) return false
  try {
    using store = new ForeignStore(file)
    return isGravity(store)
  } catch (error) {
    if (error instanceof FileProblem) return false
    throw error
  }
}

const isZip = ({ content }: GivenFile): boolean => content.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004'

function unpack({ name, content }: GivenFile): GivenFile[] {
  let isTooLarge = false
  const filter = (entry: { name: string; originalSize: number }) => {
    if (!wanted.test(entry.name)) return false
    if (entry.originalSize > maxUnpacked) isTooLarge = true
    return !isTooLarge
  }
  let entries: Record<string, Uint8Array>
  try {
    entries = unzipSync(content, { filter })
  } catch {
    throw new FileProblem(name, 'is a damaged archive')
  }
  if (isTooLarge) throw new FileProblem(name, 'holds a file that is too large')
  const found = Object.entries(entries).map(([path, bytes]) => ({
    name: `${name}/${path}`,
    content: Buffer.from(bytes),
  }))
  if (found.length === 0)
    throw new FileProblem(name, 'is no teleporter of Pi-hole 6: pihole.toml and gravity.db are missing')
  return found
}

function readOne(file: GivenFile): FoundDns {
  if (file.name.endsWith('.toml')) return readPiHoleFile(file)
  if (!isDatabaseFile(file)) return readAdGuardHome(file)
  using store = new ForeignStore(file)
  if (!isGravity(store)) throw new FileProblem(file.name, 'is no gravity.db of Pi-hole')
  return readGravity(store)
}
