import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { openBundle, type ListBundle } from '../dns/policy/list-bundle.ts'
import type { ResolverList } from '../dns/process/resolver-files.ts'

/** Behind the bundle stand four bytes with its sum, so that a file that was damaged is made anew instead of believed. */
const sumBytes = 4
const step = 4 * 1024 * 1024

/**
 * Reads a compiled bundle straight into shared memory: about 10 ms for a million names. Undefined when there is none, or none
 * that is whole.
 */
export function readBundleFile(path: string): ListBundle | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const size = fstatSync(file).size - sumBytes
    if (size <= 0 || size % 4 !== 0) return undefined
    const memory = new SharedArrayBuffer(size)
    const sum = new Uint8Array(sumBytes)
    if (!fill(file, new Uint8Array(memory), 0) || !fill(file, sum, size)) return undefined
    if (new DataView(sum.buffer).getUint32(0) !== sumOf(memory)) return undefined
    return openBundle(memory)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function fill(file: number, bytes: Uint8Array, position: number): boolean {
  for (let at = 0; at < bytes.length;) {
    const count = readSync(file, bytes, at, bytes.length - at, position + at)
    if (count === 0) return false
    at += count
  }
  return true
}

/** Shared memory is summed up in copies of a part: not every function takes it. */
function sumOf(memory: SharedArrayBuffer): number {
  let sum = 0
  for (let at = 0; at < memory.byteLength; at += step) sum = crc32(partOf(memory, at), sum)
  return sum
}

const partOf = (memory: SharedArrayBuffer, at: number): Uint8Array =>
  Uint8Array.from(new Uint8Array(memory, at, Math.min(step, memory.byteLength - at)))

/** Writes a bundle so that a reader finds the old one or the new one whole, whatever happens meanwhile; 0600. */
export async function writeBundleFile(path: string, { memory }: Pick<ListBundle, 'memory'>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      let sum = 0
      for (let at = 0; at < memory.byteLength; at += step) {
        const part = partOf(memory, at)
        sum = crc32(part, sum)
        await file.writeFile(part)
      }
      const end = new DataView(new ArrayBuffer(sumBytes))
      end.setUint32(0, sum)
      await file.writeFile(new Uint8Array(end.buffer))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await using directory = await open(dirname(path))
  await directory.sync()
}

/** Whether a bundle was made from exactly these lists, with these texts and under these names. */
export function isBundleOf(bundle: Pick<ListBundle, 'lists'>, lists: readonly ResolverList[]): boolean {
  return (
    bundle.lists.length === lists.length &&
    lists.every((list) =>
      bundle.lists.some(
        (known) =>
          known.id === list.id &&
          known.number === list.number &&
          known.name === list.name &&
          known.format === list.format &&
          known.sha256 === list.sha256,
      ),
    )
  )
}
