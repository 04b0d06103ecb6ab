import type { Timers } from '@hearth/runtime'
import { badRequest, conflict, forbidden, Problem, unavailable } from '../problems.ts'
import type { ImportAnswer } from './schema.ts'
import type { HashPassword } from './npm/npm-access.ts'
import { NpmUnreadable, readNpmDatabase } from './npm/npm-database.ts'
import type { Adapt } from '../sites/raw/adapt.ts'
import { readCaddyfile } from './caddyfile/read-caddyfile.ts'
import { readConfig, type ImportReading } from './config/read-config.ts'
import { readNpm } from './npm/read-npm.ts'
import { NginxUnreadable } from './nginx/nginx-directives.ts'
import { TraefikUnreadable } from './traefik/traefik-unreadable.ts'
import { ZoraxyUnreadable } from './zoraxy/zoraxy-files.ts'
import type { FoundCertificate } from './config/read-tls.ts'
import { type ImportRequest, runImport, type ImportTarget } from './run-import.ts'
import type { ReadOptions } from './config/site-reading.ts'

/** Dependencies of imports. */
export interface ImportsDependencies {
  readonly target: ImportTarget
  /** Adapts with the Caddy of the first node. */
  readonly adapt: Adapt
  /** The configuration a node runs and how to read it; undefined for an unknown node. Rejects when it does not answer. */
  readonly readNode: (id: number) => Promise<{ config: unknown; options: ReadOptions } | undefined>
  readonly hashPassword: HashPassword
  /** The setting `allow_raw`. */
  readonly isRawAllowed: () => boolean
  readonly timers: Timers
  /** Directory for files while they are read; only the service can read it. */
  readonly folder: string
}

/** Errors of texts that are not what they were given as; their messages go on after "The text". */
const unreadable = [TraefikUnreadable, NginxUnreadable, ZoraxyUnreadable]

/** Takes over sites from elsewhere, one import at a time. */
export class Imports {
  readonly #dependencies: ImportsDependencies
  #isBusy = false

  constructor(dependencies: ImportsDependencies) {
    this.#dependencies = dependencies
  }

  caddyfile(text: string, request: ImportRequest & { readonly isRawWanted: boolean }): Promise<ImportAnswer> {
    const { adapt, timers, isRawAllowed } = this.#dependencies
    if (request.isRawWanted && !isRawAllowed())
      throw forbidden('raw: sites of kind raw are not allowed; see the setting allow_raw', 'raw_not_allowed')
    return this.#run(request, async () => {
      try {
        return await readCaddyfile(text, { adapt, timers, isRawWanted: request.isRawWanted })
      } catch (error) {
        throw unavailable('No Caddy answers that could read the text', { cause: error })
      }
    })
  }

  config(config: unknown, request: ImportRequest): Promise<ImportAnswer> {
    return this.#run(request, () => Promise.resolve(readConfig(config, {})))
  }

  /** From the configuration a node runs. */
  node(id: number, request: ImportRequest): Promise<ImportAnswer> {
    return this.#run(request, async () => {
      const running = await this.#dependencies.readNode(id).catch((error: unknown) => {
        throw unavailable('The Caddy of this node does not answer', { cause: error })
      })
      if (running === undefined) throw badRequest('from_node: there is no such node', 'no_node')
      return readConfig(running.config, running.options)
    })
  }

  /** From the bytes of a `database.sqlite`. */
  npm(
    bytes: Uint8Array,
    request: ImportRequest,
    customCertificate?: (id: number) => Promise<FoundCertificate | undefined>,
  ): Promise<ImportAnswer> {
    const { hashPassword, folder } = this.#dependencies
    return this.#run(request, async () => {
      try {
        const tables = await readNpmDatabase(bytes, folder)
        return await readNpm(tables, { hashPassword, ...(customCertificate && { customCertificate }) })
      } catch (error) {
        if (!(error instanceof NpmUnreadable)) throw error
        throw new Problem(422, error.message, { errors: [{ field: 'file', message: error.message }] })
      }
    })
  }

  /** From a dynamic configuration of Traefik. */
  traefik(text: string, request: ImportRequest): Promise<ImportAnswer> {
    // Loaded with the first file: what reads YAML and TOML takes megabytes.
    return this.#runText(request, async () => (await import('./traefik/read-traefik.ts')).readTraefik(text))
  }

  /** From server blocks of nginx. */
  nginx(text: string, request: ImportRequest): Promise<ImportAnswer> {
    return this.#runText(request, async () => (await import('./nginx/read-nginx.ts')).readNginx(text))
  }

  /** From rules of Zoraxy for hosts. */
  zoraxy(text: string, request: ImportRequest): Promise<ImportAnswer> {
    return this.#runText(request, async () => (await import('./zoraxy/read-zoraxy.ts')).readZoraxy(text))
  }

  #runText(request: ImportRequest, read: () => Promise<ImportReading>): Promise<ImportAnswer> {
    return this.#run(request, async () => {
      try {
        return await read()
      } catch (error) {
        if (!unreadable.some((kind) => error instanceof kind)) throw error
        const { message } = error as Error
        throw new Problem(422, `The text ${message}`, { errors: [{ field: 'text', message }] })
      }
    })
  }

  async #run(request: ImportRequest, read: () => Promise<ImportReading>): Promise<ImportAnswer> {
    if (this.#isBusy) throw conflict('Another import is under way', 'import_running')
    this.#isBusy = true
    try {
      return await runImport(await read(), this.#dependencies.target, request)
    } finally {
      this.#isBusy = false
    }
  }
}
