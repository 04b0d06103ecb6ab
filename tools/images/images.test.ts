import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { parse } from 'yaml'
import { findServices, root } from '../../cli/services.ts'
import { imageConfig } from './image-config.ts'
import { imageContents } from './image-contents.ts'
import { packLayer } from './layer.ts'
import { writeOciArchive } from './oci-archive.ts'

const time = 1_790_000_000
const build = { version: '1.2.3', revision: 'a'.repeat(40), time, architecture: 'arm64' } as const

/** Writes an image of one small layer and returns the archive's bytes. */
async function writeSmallImage(folder: string): Promise<Buffer> {
  const layer = join(folder, 'layer')
  mkdirSync(join(layer, 'usr/bin'), { recursive: true })
  writeFileSync(join(layer, 'usr/bin/program'), 'echo hello')
  chmodSync(join(layer, 'usr/bin/program'), 0o755)
  // Made at another time, as every build is.
  utimesSync(join(layer, 'usr/bin/program'), time + 1000, time + 1000 + Math.random())
  const layers = [await packLayer(layer, join(folder, 'layer.gz'), { time, purpose: 'a layer' })]
  const [service] = findServices()
  assert.ok(service)
  const file = join(folder, 'image.oci.tar')
  const config = imageConfig(imageContents(service), layers, build)
  writeOciArchive({ name: 'hearth-vpn:1.2.3', config, layers, time }, file)
  return readFileSync(file)
}

test('two archives of the same contents are the same bits', async () => {
  await using first = await temporaryDirectory('image')
  await using second = await temporaryDirectory('image')
  assert.ok((await writeSmallImage(first.path)).equals(await writeSmallImage(second.path)))
})

test('every blob of an archive has the digest and the size that refer to it', async () => {
  await using folder = await temporaryDirectory('image')
  await writeSmallImage(folder.path)
  const read = (path: string): Buffer => {
    const args = ['--extract', '--to-stdout', `--file=${join(folder.path, 'image.oci.tar')}`, `./${path}`]
    return spawnSync('tar', args).stdout
  }
  const follow = ({ digest, size }: { digest: string; size: number }): Buffer => {
    const blob = read(`blobs/sha256/${digest.slice('sha256:'.length)}`)
    assert.equal(blob.length, size)
    assert.equal(`sha256:${createHash('sha256').update(blob).digest('hex')}`, digest)
    return blob
  }
  const { manifests } = JSON.parse(read('index.json').toString()) as { manifests: { digest: string; size: number }[] }
  assert.equal(manifests.length, 1)
  const manifest = JSON.parse(follow(manifests[0]!).toString()) as {
    config: { digest: string; size: number }
    layers: { digest: string; size: number }[]
  }
  const config = JSON.parse(follow(manifest.config).toString()) as {
    architecture: string
    rootfs: { diff_ids: string[] }
  }
  assert.equal(config.architecture, 'arm64')
  const plain = manifest.layers.map((layer) => spawnSync('gzip', ['-dc'], { input: follow(layer) }).stdout)
  assert.deepEqual(
    plain.map((tar) => `sha256:${createHash('sha256').update(tar).digest('hex')}`),
    config.rootfs.diff_ids,
  )
})

interface ImageConfig {
  readonly created: string
  readonly config: {
    readonly User: string
    readonly Healthcheck: { readonly Test: readonly string[] }
    readonly Labels: Readonly<Record<string, string>>
  }
}

test('an image says what it is, runs without root and knows how to tell its health', () => {
  for (const service of findServices()) {
    const { created, config } = imageConfig(imageContents(service), [], build) as ImageConfig
    const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`]
    assert.equal(created, new Date(time * 1000).toISOString())
    assert.equal(config.User, `${service.port}:${service.port}`)
    assert.equal(config.Healthcheck.Test[0], 'CMD')
    assert.deepEqual(['title', 'version', 'revision', 'licenses', 'created'].map(label), [
      `Hearth ${service.title}`,
      '1.2.3',
      'a'.repeat(40),
      'MIT',
      created,
    ])
    assert.ok((label('description') ?? '').length > 10)
  }
})

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

interface ComposeService {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly ports: readonly string[]
  readonly volumes: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly profiles?: readonly string[]
  readonly secrets?: readonly string[]
}

test('compose.yaml runs every service as its image is made: closed, with its volume, its page on loopback', () => {
  const text = readFileSync(join(root, 'docs/compose.yaml'), 'utf8')
  const { services } = parse(text, { merge: true }) as Compose
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  for (const service of findServices()) {
    const { name, port } = service
    const described = services[name]
    assert.ok(described, name)
    assert.equal(described.image, `hearth-${name}:${version}`)
    assert.equal(described.read_only, true)
    assert.deepEqual(described.cap_drop, ['ALL'])
    assert.deepEqual(
      (described.cap_add ?? []).map((capability) => capability.toLowerCase()),
      imageContents(service).capabilities,
    )
    assert.ok(described.ports.includes(`127.0.0.1:${port}:${port}`), `${name}: ${described.ports.join()}`)
    assert.deepEqual(described.volumes, [`${name}:/var/lib/hearth/${name}`])
    assert.match(described.environment['HEARTH_SERVICES'] ?? '', new RegExp(`${name}=http://127.0.0.1:${port} `))
  }
})

test('compose.yaml brings a PostgreSQL for who asks for its profile, with its password in a file', () => {
  const { services, volumes, secrets } = parse(readFileSync(join(root, 'docs/compose.yaml'), 'utf8'), {
    merge: true,
  }) as Compose
  const { profiles, environment, secrets: given, volumes: mounted } = services['postgres'] ?? assert.fail('no postgres')
  assert.deepEqual(profiles, ['postgres'])
  const [secret = ''] = given ?? []
  assert.deepEqual(environment, { POSTGRES_PASSWORD_FILE: `/run/secrets/${secret}` })
  assert.ok(secrets[secret] !== undefined)
  for (const name of mounted.map((mount) => mount.split(':')[0] ?? '')) assert.ok(name in volumes, name)
})
