import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { CaddyfileImport, ConfigImport, ImportAnswer, NpmImport } from './import-schema.ts'
import type { Imports } from './imports.ts'
import { largestNpmDatabase } from './npm-database.ts'

/** Largest configuration, bytes of JSON. */
const largestConfig = 16 * 1024 * 1024
/** In JSON a character can take six bytes. */
const largestText = 6 * 524_288 + 4096

/** Taking over sites from elsewhere. */
export function importRoutes(imports: Imports): Route[] {
  const shared = {
    method: 'POST',
    tag: 'Caddy',
    access: 'recent-admin',
    limit: '5/min',
    success: { status: 200, body: ImportAnswer },
  } as const
  return [
    route(
      {
        ...shared,
        path: '/api/caddy/import/caddyfile',
        summary: 'Import a Caddyfile',
        description:
          'Caddy itself reads the text. Texts that would make it read files or the environment of its server are refused, in the report. What cannot be taken over is in the report as well.',
        largestBody: largestText,
        body: CaddyfileImport,
        errors: [409, 503],
      },
      ({ body, caller }) =>
        imports.caddyfile(body.text, { isDryRun: body.dry_run, isRawWanted: body.raw, author: caller.username }),
    ),
    route(
      {
        ...shared,
        path: '/api/caddy/import/config',
        summary: 'Import a configuration of Caddy',
        description: 'A configuration as JSON, or the one a node runs. What cannot be taken over is in the report.',
        largestBody: largestConfig,
        body: ConfigImport,
        errors: [400, 409, 503],
      },
      ({ body, caller }) => {
        const request = { isDryRun: body.dry_run, author: caller.username }
        return body.from_node === undefined
          ? imports.config(body.config, request)
          : imports.node(body.from_node, request)
      },
    ),
    route(
      {
        ...shared,
        path: '/api/caddy/import/npm',
        summary: 'Import the hosts of Nginx Proxy Manager',
        description:
          'Takes its database.sqlite as the field `file` of a form, at most 64 MiB. Hosts that would stand more open than before come switched off.',
        takes: { upload: { largestBytes: largestNpmDatabase } },
        body: NpmImport,
        errors: [409, 413],
      },
      ({ body, caller }) =>
        imports.npm(body.file.bytes, { isDryRun: body.dry_run === 'true', author: caller.username }),
    ),
  ]
}
