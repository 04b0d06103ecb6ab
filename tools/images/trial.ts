import assert from 'node:assert/strict'
import { globSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root, type ServiceFolder } from '../../cli/services.ts'
import { architectures } from '../release/node-program.ts'
import { runContainer, unpackImage, type ContainerOptions, type UnpackedImage } from './container.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    arch: { type: 'string', default: ownArchitecture() },
    from: { type: 'string', default: join(root, 'release') },
  },
})

/** Largest image, unpacked, megabytes; media has ffmpeg. */
const maxSize = (name: string): number => (name === 'media' ? 900 : 220)

const closed: ContainerOptions = { environment: {}, capabilities: [], temporary: ['/tmp'], devices: [] }

/** How `docs/compose.yaml` runs each service, where that is not as closed as possible. */
const options: Readonly<Record<string, Partial<ContainerOptions>>> = {
  vpn: { temporary: ['/tmp', '/run'] },
  media: { environment: { ALLOW_OPEN: 'true' } },
}

/** Programs of a service that are run once, because packages were only unpacked. */
const programs: Readonly<Record<string, string>> = {
  media: `inside /usr/bin/ffmpeg -loglevel error -f lavfi -i sine=duration=1 -f null -
inside /usr/bin/yt-dlp --version >/dev/null
`,
}

/** What vpn needs for real tunnels. */
const tunnels: Partial<ContainerOptions> = {
  capabilities: ['cap_net_admin', 'cap_net_bind_service'],
  devices: ['net/tun'],
}

for (const service of chooseServices(findServices(), values.only ?? [])) {
  const began = performance.now()
  tryImage(service)
  process.stdout.write(`✔ ${service.name} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`)
}

/** Name of this machine's architecture in Debian. */
function ownArchitecture(): string {
  const found = Object.entries(architectures).find(([, node]) => node === process.arch)
  if (found === undefined) throw new Error(`there are no images for ${process.arch}`)
  return found[0]
}

/**
 * Unpacks the image of a service and runs it; the kernel runs one of another architecture where an emulator is registered.
 * Throws at the first thing that is not as promised.
 */
function tryImage(service: ServiceFolder): void {
  const [file] = globSync(`hearth-${service.name}_*_${values.arch}.oci.tar`, { cwd: values.from })
  if (file === undefined) throw new Error(`${values.from} has no image of ${service.name}; run npm run images`)
  using image = unpackImage(join(values.from, file))
  checkConfig(image, service)
  const own = { ...closed, ...options[service.name] }
  const written = runContainer(image, own, useLine(image, service, programs[service.name]))
  if (service.name !== 'vpn') return
  // An emulator hands on the capabilities of the program only where it was registered to.
  assert.match(written, /tunnels are simulated/)
  if (values.arch !== ownArchitecture()) {
    process.stdout.write('  real tunnels are not tried: emulators do not know the protocol of nft\n')
    return
  }
  assert.match(written, /the container lacks capabilities, so tunnels are simulated/)
  const real = runContainer(image, { ...own, ...tunnels }, useLine(image, service, tunnelLine()))
  assert.doesNotMatch(real, /simulated/)
}

/** Creates an interface whose tunnel runs. */
function tunnelLine(): string {
  return `
inside /bin/sh -c 'hearth vpn token create --user admin --name trial --permissions full >/tmp/token'
${evaluate(`const token = (await import('node:fs')).readFileSync('/tmp/token', 'utf8').trim()
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
const body = JSON.stringify({ name: 'wg0', address: '10.8.0.1/24', listen_port: 51820 })
const answer = await fetch('http://127.0.0.1:8101/api/interfaces', { method: 'POST', headers, body })
const text = await answer.text()
if (answer.status !== 201 || JSON.parse(text).data.status !== 'active') throw new Error(text)`)}
ip link show wg0 >/dev/null
`
}

/** A line of shell that runs a program in the container's Node. */
function evaluate(program: string): string {
  return `inside /usr/lib/hearth/bin/node --input-type=module --eval '${program.replaceAll("'", '"')}'`
}

function checkConfig({ config, folder }: UnpackedImage, { name, port }: ServiceFolder): void {
  assert.equal(config.User, `${port}:${port}`)
  assert.match(config.Labels['org.opencontainers.image.revision'] ?? '', /^([0-9a-f]{40}|unknown)$/)
  const megabytes = sizeOf(folder) / 1_000_000
  assert.ok(megabytes <= maxSize(name), `${name} is ${megabytes.toFixed(0)} MB unpacked`)
}

/** Size of the files of a folder, bytes; links count once. */
function sizeOf(folder: string): number {
  const seen = new Map<number, number>()
  for (const path of globSync('**/*', { cwd: folder })) {
    const { ino, size } = lstatSync(join(folder, path))
    seen.set(ino, size)
  }
  return [...seen.values()].reduce((sum, size) => sum + size, 0)
}

/** Waits until the container is healthy, opens its page, makes a backup, and stops it. */
function useLine({ config }: UnpackedImage, { name, port }: ServiceFolder, more = ''): string {
  const [, ...health] = config.Healthcheck.Test
  const check = `inside ${health.join(' ')}`
  const page = `const page = await fetch('http://127.0.0.1:${port}/', { headers: { accept: 'text/html' } })
if (page.status !== 200 || !(await page.text()).includes('<title>Hearth')) process.exitCode = 1`
  return `
tries=0
until ${check} && grep -q '^listening on http://0\\.0\\.0\\.0:${port}$' "$log"; do
  tries=$((tries + 1))
  if [ $tries -gt 100 ] || ! kill -0 $service; then exit 1; fi
  sleep 0.2
done
${evaluate(page)}
inside /usr/bin/hearth ${name} backup /tmp/trial.backup
${more}stop
if ${check}; then echo 'the health check passes although the service has stopped' >&2; exit 1; fi
`
}
