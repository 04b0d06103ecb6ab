import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The part of an image's configuration that a trial reads. */
export interface RunConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly Labels: Readonly<Record<string, string>>
}

/** An unpacked image. */
export interface UnpackedImage extends Disposable {
  readonly config: RunConfig
  /** Its root file system. */
  readonly folder: string
}

/** Rights that a container is started with. */
export interface ContainerOptions {
  readonly environment: Readonly<Record<string, string>>
  /** Capabilities as `cap_net_admin`; a container has no others. */
  readonly capabilities: readonly string[]
  /** Folders that are writable beside the volume. */
  readonly temporary: readonly string[]
  /** Devices beside the usual ones. */
  readonly devices: readonly string[]
}

/** Time that a container may take for all that is tried with it, seconds; an emulated one is ten times slower. */
const maxRun = 900

/** Unpacks an image with programs that know nothing of how it was made. Needs root, `skopeo` and `umoci`. */
export function unpackImage(file: string): UnpackedImage {
  const work = mkdtempSync(join(tmpdir(), 'hearth-image-'))
  const dispose = () => rmSync(work, { recursive: true, force: true })
  try {
    const inspected = call('skopeo', ['inspect', '--raw', '--config', `oci-archive:${file}`], 60)
    call('skopeo', ['copy', '--quiet', `oci-archive:${file}`, `oci:${work}/layout:image`], 120)
    call('umoci', ['unpack', '--image', `${work}/layout:image`, `${work}/bundle`], 120)
    const { config } = JSON.parse(inspected) as { config: RunConfig }
    return { config, folder: join(work, 'bundle/rootfs'), [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/**
 * Runs the image's program as a container engine would: its user, environment and command, a read-only root, a network of its
 * own, and no capability that is not given. `use` is a shell line that runs beside it, where `$service` is the process, `inside`
 * runs a program in the container, and `stop` stops the service and fails unless it ends well within 20 s. Returns what the
 * service wrote. Throws with it when the line fails.
 */
export function runContainer(image: UnpackedImage, options: ContainerOptions, use: string): string {
  const { config, folder } = image
  const [volume] = config.Env.flatMap((text) => (text.startsWith('DATA_DIR=') ? [text.slice('DATA_DIR='.length)] : []))
  if (volume === undefined) throw new Error('the image has no DATA_DIR')
  const devices = ['null', 'zero', 'full', 'random', 'urandom', ...options.devices]
  const [user = '', group = ''] = config.User.split(':')
  const bounding = new Set(options.capabilities)
  const dropped = allCapabilities().filter((name) => !bounding.has(name))
  const environment = [...config.Env, ...Object.entries(options.environment).map(([name, value]) => `${name}=${value}`)]
  const words = (list: readonly string[]) => list.map(quote).join(' ')
  const [entry = '', ...args] = [...config.Entrypoint, ...config.Cmd]
  const script = `
root=${quote(folder)}
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in ${words(devices)}; do
  mkdir -p "$root/dev/$(dirname "$device")"
  mknod --mode=666 "$root/dev/$device" c $(stat --format='0x%t 0x%T' "/dev/$device")
done
for path in ${words(options.temporary)}; do mount -t tmpfs -o mode=1777 tmpfs "$root$path"; done
mount -t tmpfs -o mode=700,uid=${user},gid=${group} data "$root${volume}"
mount -o remount,bind,ro "$root"
ip link set lo up
log=$(mktemp)
inside() { env -i ${words(environment)} chroot --userspec=${user}:${group} "$root" "$@"; }
stop() {
  kill -${config.StopSignal.replace('SIG', '')} $service
  ( sleep 20; kill -KILL $service ) 2>/dev/null & watch=$!
  wait $service
  kill $watch
}
env -i ${words(environment)} capsh --chroot="$root" --drop=${dropped.join(',')} --groups= --gid=${group} --uid=${user} --shell=${quote(entry)} -- ${words(args)} >"$log" 2>&1 &
service=$!
trap '[ $? -eq 0 ] || cat "$log" >&2; kill -KILL $service 2>/dev/null || true; rm "$log"' EXIT
${use}
cat "$log"
`
  return call('unshare', ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-ec', script], maxRun)
}

/** Capabilities of this system's kernel, as `capsh` names them. */
function allCapabilities(): string[] {
  const [, list = ''] = /^Bounding set =(.*)$/m.exec(call('capsh', ['--print'], 10)) ?? []
  return list.split(',').filter((name) => name !== '')
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function call(program: string, args: readonly string[], seconds: number): string {
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 1e8 })
  if (result.status !== 0)
    throw new Error(`${program} ${args[0]}: ${result.error?.message ?? `${result.stdout}${result.stderr}`}`)
  return result.stdout
}
