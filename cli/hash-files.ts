import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The files in a folder and below it; none when it is not there. Folders of the names in `without` are left out. */
export function filesBelow(folder: string, without: readonly string[] = []): string[] {
  const found: string[] = []
  // Joined by hand: a start of a service looks at a thousand files.
  const read = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isFile()) found.push(`${path}/${entry.name}`)
      else if (entry.isDirectory() && !without.includes(entry.name)) read(`${path}/${entry.name}`)
    }
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) read(folder)
  return found
}

/**
 * Returns one hash over the paths and contents of files. It is kept in the cache of the repository's packages under a name with
 * the sizes and times of the files, so that files that did not change are not read again.
 */
export function hashFiles(
  files: readonly string[],
  { repository, name }: { repository: string; name: string },
): string {
  const sorted = files.toSorted()
  const kept = join(repository, 'node_modules/.cache/hearth-builds', name)
  const state = stateOf(sorted, repository)
  const known = readKept(kept)
  if (known?.state === state) return known.content
  const hash = createHash('sha256')
  for (const file of sorted) hash.update(relative(repository, file)).update(readFileSync(file))
  const content = hash.digest('hex')
  keep(kept, `${state} ${content}`)
  return content
}

/** A hash that changes whenever a file of the list, below the repository, does: nothing but the system sets the time of a change. */
function stateOf(files: readonly string[], repository: string): string {
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, ino, ctimeMs } = statSync(file)
    hash.update(`${file.slice(repository.length)}\0${size} ${ino} ${ctimeMs}\n`)
  }
  return hash.digest('hex')
}

function readKept(path: string): { state: string; content: string } | undefined {
  try {
    const [state, content] = readFileSync(path, 'utf8').split(' ')
    return state === undefined || content === undefined ? undefined : { state, content }
  } catch {
    return undefined
  }
}

/** Writes a file for the next time; where that is not allowed, files are read each time. */
function keep(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(fresh, text)
    renameSync(fresh, path)
  } catch {
    // The next start does the same work again.
  }
}
