import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { eventually } from '@hearth/testing'

/** A file system of its own in memory, at a folder that is made for it. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Why there is none; undefined when there is. */
  readonly obstacle: string | undefined
}

/** Mounts a small file system, such as of `64m`. Its end waits for everything that uses it. */
export function mountSmallDisk(path: string, size: string): SmallDisk {
  mkdirSync(path)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'hearth-test', path], { encoding: 'utf8' })
  const isThere = mounted.status === 0
  const obstacle = `no small file system can be made here: ${mounted.error?.message ?? mounted.stderr}`
  return {
    path,
    obstacle: isThere ? undefined : obstacle,
    async [Symbol.asyncDispose]() {
      if (!isThere) return
      await eventually(
        () => spawnSync('umount', [path], { encoding: 'utf8' }),
        ({ status }) => status === 0,
        { what: 'the end of everything that used the small disk' },
      )
    },
  }
}
