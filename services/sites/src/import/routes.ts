import { FileForm, type Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { AdoptDrift } from './adopt-drift.ts'
import type { Imports } from './imports.ts'
import { maxNpmDatabase } from './npm/npm-database.ts'
import type { CaddyOnboarding } from './caddy-onboarding.ts'
import {
  AdoptRequest,
  AdoptResult,
  CaddyfileImport,
  ConfigImport,
  dryRun,
  ImportAnswer,
  NginxImport,
  Onboarding,
  OnboardRequest,
  OnboardResult,
  TraefikImport,
  ZoraxyImport,
} from './schema.ts'

/** Functions behind the endpoints of taking over. */
export interface OnboardingRoutesDependencies {
  readonly onboarding: CaddyOnboarding
  readonly adopt: AdoptDrift
}

/** Taking over a Caddy. */
export function onboardingRoutes({ onboarding, adopt }: OnboardingRoutesDependencies): Route[] {
  const shared = { tag: 'Caddy', access: 'admin' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/caddy/onboarding',
        summary: 'What is still to be done, and what Caddy serves now',
        limit: '30/min',
        success: { status: 200, body: Onboarding },
      },
      () => onboarding.state(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/caddy/onboard',
        summary: 'Take over Caddy',
        description:
          'A Caddy that serves something already is imported or replaced, as asked; without that it stays as it is (409).',
        limit: '5/min',
        body: OnboardRequest.optional(),
        success: { status: 200, body: OnboardResult },
        errors: [400, 409, 503],
      },
      ({ body, caller }) => onboarding.onboard(body ?? {}, caller.username),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/caddy/drift/adopt',
        summary: 'Want here what somebody else has changed',
        description: 'As far as sites can have it; what they cannot is lost, and named in the answer.',
        limit: '10/min',
        body: AdoptRequest.optional(),
        success: { status: 200, body: AdoptResult },
        errors: [404, 409, 422, 503],
      },
      ({ body, caller }) => adopt(body?.node_id, caller.username),
    ),
  ]
}

/** A form, in which everything but the file is text. */
const NpmImport = FileForm.extend({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: dryRun.meta()?.description ?? '' }),
}).meta({ id: 'NpmImport' })

/** Largest configuration, bytes of JSON. */
const maxConfig = 16 * 1024 * 1024
/** In JSON a character can take six bytes. */
const maxText = 6 * 524_288 + 4096

const importing = {
  method: 'POST',
  tag: 'Caddy',
  access: 'recent-admin',
  limit: '5/min',
  success: { status: 200, body: ImportAnswer },
} as const

/** Taking over sites from elsewhere. */
export function importRoutes(imports: Imports): Route[] {
  return [...caddyImportRoutes(imports), ...foreignImportRoutes(imports)]
}

/** From what Caddy itself reads. */
function caddyImportRoutes(imports: Imports): Route[] {
  return [
    route(
      {
        ...importing,
        path: '/api/caddy/import/caddyfile',
        summary: 'Import a Caddyfile',
        description:
          'Caddy itself reads the text. Texts that would make it read files or the environment of its server are refused, in the report. What cannot be taken over is in the report as well.',
        maxBodyBytes: maxText,
        body: CaddyfileImport,
        errors: [409, 503],
      },
      ({ body, caller }) =>
        imports.caddyfile(body.text, { isDryRun: body.dry_run, isRawWanted: body.raw, author: caller.username }),
    ),
    route(
      {
        ...importing,
        path: '/api/caddy/import/config',
        summary: 'Import a configuration of Caddy',
        description: 'A configuration as JSON, or the one a node runs. What cannot be taken over is in the report.',
        maxBodyBytes: maxConfig,
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
  ]
}

/** From other proxies. */
function foreignImportRoutes(imports: Imports): Route[] {
  return [
    route(
      {
        ...importing,
        path: '/api/caddy/import/traefik',
        summary: 'Import the routers of Traefik',
        description:
          'Takes a file of its dynamic configuration, YAML or TOML. Routers with the same hosts become one site. Sites that would stand more open than before come switched off.',
        maxBodyBytes: maxText,
        body: TraefikImport,
        errors: [409, 422],
      },
      ({ body, caller }) => imports.traefik(body.text, { isDryRun: body.dry_run, author: caller.username }),
    ),
    route(
      {
        ...importing,
        path: '/api/caddy/import/nginx',
        summary: 'Import server blocks of nginx',
        description:
          'Also those of SWAG. Files that the text includes are not read. Sites that would stand more open than before come switched off.',
        maxBodyBytes: maxText,
        body: NginxImport,
        errors: [409, 422],
      },
      ({ body, caller }) => imports.nginx(body.text, { isDryRun: body.dry_run, author: caller.username }),
    ),
    route(
      {
        ...importing,
        path: '/api/caddy/import/zoraxy',
        summary: 'Import the rules of Zoraxy',
        description:
          'Takes the files of its folders conf/proxy and conf/access, one after the other. Sites that would stand more open than before, or whose access filter is not in the text, come switched off.',
        maxBodyBytes: maxText,
        body: ZoraxyImport,
        errors: [409, 422],
      },
      ({ body, caller }) => imports.zoraxy(body.text, { isDryRun: body.dry_run, author: caller.username }),
    ),
    route(
      {
        ...importing,
        path: '/api/caddy/import/npm',
        summary: 'Import the hosts of Nginx Proxy Manager',
        description:
          'Takes its database.sqlite as the field `file` of a form, at most 64 MiB. Hosts that would stand more open than before come switched off.',
        takes: { upload: { maxBytes: maxNpmDatabase } },
        body: NpmImport,
        errors: [409, 413],
      },
      ({ body, caller }) =>
        imports.npm(body.file.bytes, { isDryRun: body.dry_run === 'true', author: caller.username }),
    ),
  ]
}
