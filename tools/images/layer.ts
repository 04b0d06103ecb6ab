import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { LayerSum } from './image-config.ts'

/** A compressed layer on disk. */
export interface Layer extends LayerSum {
  readonly file: string
  /** SHA-256 of the file, with `sha256:` before it. */
  readonly digest: string
  readonly bytes: number
  /** Size of its tar, bytes. */
  readonly unpackedBytes: number
}

/**
 * Packs a folder as a layer. The bits depend on the contents, owners, modes and `time` (seconds since 1970) alone: entries are
 * sorted, times that are later than `time` become it, and names of users are left out.
 */
export async function packLayer(folder: string, file: string, { time, purpose }: { time: number; purpose: string }) {
  const tar = `${file}.tar`
  packFolder(folder, tar, time)
  const compressed = measure()
  const plain = measure()
  await pipeline(createReadStream(tar), plain.pass, createGzip({ level: 6 }), compressed.pass, createWriteStream(file))
  rmSync(tar)
  const layer: Layer = {
    file,
    purpose,
    diffId: plain.digest(),
    unpackedBytes: plain.bytes(),
    digest: compressed.digest(),
    bytes: compressed.bytes(),
  }
  return layer
}

/** Writes a tar of everything in a folder, as `packLayer` describes it. */
export function packFolder(folder: string, tar: string, time: number): void {
  const result = spawnSync(
    'tar',
    [
      '--create',
      `--file=${tar}`,
      `--directory=${folder}`,
      '--format=pax',
      '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime',
      '--sort=name',
      `--mtime=@${time}`,
      '--clamp-mtime',
      '--numeric-owner',
      '--xattrs',
      '--xattrs-include=security.capability',
      '.',
    ],
    { encoding: 'utf8' },
  )
  if (result.status !== 0) throw new Error(`tar: ${result.error?.message ?? result.stderr}`)
}

/** A step of a pipeline that sums what passes. */
function measure() {
  const hash = createHash('sha256')
  let bytes = 0
  async function* pass(this: void, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  return {
    pass,
    digest: () => `sha256:${hash.digest('hex')}`,
    bytes: () => bytes,
  }
}
