import { randomUUID } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file so that a reader, or a crash at any moment, sees either the old content or the new one, never a part.
 * The file and its directory are flushed to the disk before this returns.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = await writeBeside(path, content, mode)
  try {
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await flushToDisk(dirname(path))
}

/**
 * As `writeFileAtomic`, but only when the file is missing: of several processes that make it together one wins, and the
 * others find what it wrote. Returns whether it was this one.
 */
export async function createFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): Promise<boolean> {
  const temporary = await writeBeside(path, content, mode)
  try {
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await flushToDisk(dirname(path))
  return true
}

async function writeBeside(path: string, content: string | Uint8Array, mode: number): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await using file = await open(temporary, 'wx', mode)
    await file.writeFile(content)
    await file.sync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return temporary
}

/** Flushes a file, or the names in a directory, to the disk. */
export async function flushToDisk(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}
