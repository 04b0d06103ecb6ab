import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packFolder, type Layer } from './layer.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const configType = 'application/vnd.oci.image.config.v1+json'
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** An image to write. */
export interface Image {
  /** Name with its tag, such as `hearth-vpn:0.1.0`. */
  readonly name: string
  readonly config: object
  readonly layers: readonly Layer[]
  /** Time of every file of the archive, seconds since 1970. */
  readonly time: number
}

/**
 * Writes an image as one tar in the OCI image layout. `manifest.json` beside it lets versions of Docker load it that do not know
 * the layout. Layers are moved. Returns the digest of the image.
 */
export function writeOciArchive({ name, config, layers, time }: Image, file: string): string {
  const folder = mkdtempSync(join(dirname(file), '.image-'))
  try {
    const blobs = join(folder, 'blobs/sha256')
    mkdirSync(blobs, { recursive: true })
    const pathOf = (digest: string) => `blobs/sha256/${digest.replace('sha256:', '')}`
    const addJson = (mediaType: string, value: object) => {
      const text = JSON.stringify(value)
      const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
      writeFileSync(join(folder, pathOf(digest)), text)
      return { mediaType, digest, size: Buffer.byteLength(text) }
    }
    for (const layer of layers) renameSync(layer.file, join(folder, pathOf(layer.digest)))
    const configBlob = addJson(configType, config)
    const manifest = addJson(manifestType, {
      schemaVersion: 2,
      mediaType: manifestType,
      config: configBlob,
      layers: layers.map(({ digest, bytes }) => ({ mediaType: layerType, digest, size: bytes })),
    })
    const annotations = {
      'io.containerd.image.name': `localhost/${name}`,
      'org.opencontainers.image.ref.name': name.slice(name.indexOf(':') + 1),
    }
    writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    writeFileSync(
      join(folder, 'index.json'),
      JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
    )
    const docker = {
      Config: pathOf(configBlob.digest),
      RepoTags: [name],
      Layers: layers.map((layer) => pathOf(layer.digest)),
    }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify([docker]))
    packFolder(folder, `${file}.new`, time)
    renameSync(`${file}.new`, file)
    return manifest.digest
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
