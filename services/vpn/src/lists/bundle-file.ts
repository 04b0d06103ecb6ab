import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { openBundle, type ListBundle } from '../dns/policy/list-bundle.ts'
import type { ResolverList } from '../dns/resolver-files.ts'

/** Behind the bundle stand four bytes with its sum, so that a file that was damaged is made again instead of believed. */
const sumBytes = 4
const step = 1024 * 1024

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
    const sum = fill(file, new Uint8Array(memory))
    const known = new Uint8Array(sumBytes)
    if (readSync(file, known, 0, sumBytes, size) !== sumBytes || new DataView(known.buffer).getUint32(0) !== sum)
      return undefined
    return openBundle(memory)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Fills memory from the file's beginning, part by part, as sums are not made of shared memory. Returns the sum. */
function fill(file: number, memory: Uint8Array): number {
  const part = Buffer.allocUnsafeSlow(Math.min(step, memory.length))
  let sum = 0
  for (let at = 0; at < memory.length;) {
    const count = readSync(file, part, 0, Math.min(step, memory.length - at), at)
    if (count === 0) return -1
    sum = crc32(part.subarray(0, count), sum)
    memory.set(part.subarray(0, count), at)
    at += count
  }
  return sum
}

/** Writes a bundle so that a reader finds the old one or the new one whole, whatever happens meanwhile; 0600. Nobody else may write at the time. */
export async function writeBundleFile(path: string, { memory }: Pick<ListBundle, 'memory'>): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      let sum = 0
      for (let at = 0; at < memory.byteLength; at += step) {
        const part = new Uint8Array(memory, at, Math.min(step, memory.byteLength - at)).slice()
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

/** Returns true if a bundle was made from exactly these lists, with these texts and under these names. */
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
