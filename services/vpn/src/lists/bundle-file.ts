import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openBundle, type ListBundle } from '../dns/policy/list-bundle.ts'
import type { ResolverList } from '../dns/process/resolver-files.ts'

/** Behind the bundle stand four bytes with its sum, so that a file that was damaged is made anew instead of believed. */
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
    const known = new Int32Array(1)
    if (!fill(file, new Uint8Array(memory), 0) || !fill(file, new Uint8Array(known.buffer), size)) return undefined
    return sumOf(new Int32Array(memory)) === known[0] ? openBundle(memory) : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Fills memory with what stands in the file from `position` on. False when there is less. */
function fill(file: number, memory: Uint8Array, position: number): boolean {
  for (let at = 0; at < memory.length;) {
    const count = readSync(file, memory, at, memory.length - at, position + at)
    if (count === 0) return false
    at += count
  }
  return true
}

/**
 * A sum that another word, or words in another order, change. Over shared memory, where `node:zlib` makes none, in four lanes
 * that do not wait for each other: 4 ms for a million names.
 */
function sumOf(words: Int32Array): number {
  let [a, b, c, d] = [1, 2, 3, 4]
  let at = 0
  for (const end = words.length - 3; at < end; at += 4) {
    a = mixed(a, words[at]!)
    b = mixed(b, words[at + 1]!)
    c = mixed(c, words[at + 2]!)
    d = mixed(d, words[at + 3]!)
  }
  for (; at < words.length; at++) a = mixed(a, words[at]!)
  return [a, b, c, d].reduce(mixed, words.length)
}

function mixed(sum: number, word: number): number {
  const product = Math.imul(sum ^ word, 0x0100_0193)
  return product ^ (product >>> 15)
}

/**
 * Writes a bundle so that a reader finds the old one or the new one whole, whatever happens meanwhile; 0600. Nobody else may
 * write there at the time.
 */
export async function writeBundleFile(path: string, { memory }: Pick<ListBundle, 'memory'>): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      for (let at = 0; at < memory.byteLength; at += step) {
        await file.writeFile(new Uint8Array(memory, at, Math.min(step, memory.byteLength - at)).slice())
      }
      await file.writeFile(new Uint8Array(Int32Array.of(sumOf(new Int32Array(memory))).buffer))
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
