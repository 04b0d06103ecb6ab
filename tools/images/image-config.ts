import type { Architecture } from '../release/node-program.ts'
import type { ImageContents } from './image-contents.ts'

/** Facts about the build that an image carries. */
export interface BuildFacts {
  readonly version: string
  /** Commit of the sources. */
  readonly revision: string
  /** Time of the commit, seconds since 1970. */
  readonly time: number
}

/** A layer of an image as its configuration names it. */
export interface LayerSum {
  /** SHA-256 of the uncompressed tar, with `sha256:` before it. */
  readonly diffId: string
  readonly purpose: string
}

const second = 1_000_000_000

/** Path of the program that checks the service inside its container. */
export const healthProgram = '/usr/lib/hearth/health.mjs'

/** Path of the program that a container starts; its argument is a command line of `hearth`. */
export const entryProgram = '/usr/lib/hearth/bin/enter'

/**
 * Returns the configuration of an image as the OCI image specification describes it. `Healthcheck` is the extension that Docker
 * and Podman read.
 */
export function imageConfig(
  contents: ImageContents,
  layers: readonly LayerSum[],
  { architecture, ...build }: BuildFacts & { architecture: Architecture },
): object {
  const { service, environment, ports } = contents
  const user = String(service.port)
  const created = new Date(build.time * 1000).toISOString()
  return {
    created,
    author: 'Hearth',
    architecture,
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: [entryProgram],
      Cmd: [service.name, 'serve'],
      WorkingDir: `/var/lib/hearth/${service.name}`,
      Volumes: { [`/var/lib/hearth/${service.name}`]: {} },
      ExposedPorts: Object.fromEntries([`${service.port}/tcp`, ...ports].map((port) => [port, {}])),
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/usr/lib/hearth/bin/node', healthProgram],
        Interval: 30 * second,
        Timeout: 10 * second,
        StartPeriod: 30 * second,
        Retries: 3,
      },
      Labels: labels(contents, { ...build, created }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ purpose }) => ({ created, created_by: purpose })),
  }
}

function labels({ service }: ImageContents, { version, revision, created }: BuildFacts & { created: string }) {
  const about = {
    title: `Hearth ${service.title}`,
    version,
    revision,
    created,
    licenses: 'MIT',
    description: `Hearth ${service.title} for a house server`,
  }
  return Object.fromEntries(Object.entries(about).map(([name, text]) => [`org.opencontainers.image.${name}`, text]))
}
