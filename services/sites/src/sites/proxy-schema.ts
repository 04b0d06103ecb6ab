import { z } from 'zod'

const RedirectCode = z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)])

/** Redirects every request. */
const RedirectTarget = z
  .strictObject({
    to: z.string().min(1).max(2048).meta({ description: 'An http or https address, or a path that starts with /' }),
    code: RedirectCode.default(308),
    keep_path: z.boolean().default(true).meta({ description: 'Appends path and query of the request' }),
  })
  .meta({ id: 'RedirectTarget' })

/** Files of a directory on the node. */
const StaticFiles = z
  .strictObject({
    root: z.string().min(1).max(4096).meta({ description: 'Absolute directory below one of the configured bases' }),
    index: z.array(z.string().min(1).max(255)).max(8).default(['index.html']),
    browse: z.boolean().default(false).meta({ description: 'Lists directories that have no index file' }),
    fallback: z.string().min(1).max(1024).nullable().default(null).meta({
      description:
        'File below the root that answers for whatever is not there, `/index.html` for an application of one page',
    }),
  })
  .meta({ id: 'StaticFiles' })

/** Sends one fixed response. */
const FixedAnswer = z
  .strictObject({
    status: z.int().min(200).max(599).default(200),
    body: z.string().max(65_536).default(''),
    content_type: z.string().min(1).max(128).default('text/plain; charset=utf-8'),
  })
  .meta({ id: 'FixedAnswer' })

/** Members of a site or a path of the kinds redirect, static and respond; only the member of its kind is given. */
export const answerMembers = {
  redirect: RedirectTarget.nullable(),
  static: StaticFiles.nullable(),
  respond: FixedAnswer.nullable(),
}

/** The members of a site or a path whose responses come from Caddy itself. */
export type AnswerMembers = { [Member in keyof typeof answerMembers]: z.output<(typeof answerMembers)[Member]> }

/** A redirect of one path, before anything else of the site. */
export const PathRedirect = z
  .strictObject({
    from: z.string().min(1).max(1024).meta({ description: 'A path; with `/*` at its end all that is below' }),
    to: z.string().min(1).max(2048),
    code: RedirectCode.default(308),
    keep_path: z.boolean().default(false).meta({ description: 'Appends what followed `from`, and the query' }),
  })
  .meta({ id: 'PathRedirect' })

const seconds = (max: number) => z.number().min(0).max(max)
const headerName = z.string().min(1).max(128)

/** One upstream of a site. */
export const Upstream = z
  .strictObject({
    url: z.string().min(1).max(2048).meta({
      description:
        'http, https or h2c with host and port, no path: `http://10.0.0.5:8080`; or `unix//path` in a directory that is allowed',
    }),
    weight: z.int().min(1).max(1000).default(1).meta({ description: 'Share of requests under weighted_round_robin' }),
    max_requests: z.int().min(1).max(1_000_000).nullable().default(null).meta({ description: 'Requests at one time' }),
  })
  .meta({ id: 'Upstream' })

/** Caddy's policies by which an upstream is selected; `header`, `cookie` and `query` need a `name`. */
export const BalancingPolicy = z
  .enum([
    'random',
    'random_choose',
    'round_robin',
    'least_conn',
    'first',
    'ip_hash',
    'uri_hash',
    'header',
    'cookie',
    'client_ip_hash',
    'weighted_round_robin',
    'query',
  ])
  .meta({ id: 'BalancingPolicy' })

/** Choice of the upstream of a request, and of retries. */
export const Balancing = z
  .strictObject({
    policy: BalancingPolicy.default('round_robin'),
    name: headerName
      .nullable()
      .default(null)
      .meta({ description: 'Header, cookie or query key the policy of that name reads' }),
    choose: z.int().min(2).max(64).default(2).meta({ description: 'How many random_choose draws' }),
    retries: z.int().min(0).max(10).default(0),
    try_duration: seconds(60).default(0).meta({ description: 'Seconds to go on trying other upstreams' }),
  })
  .meta({ id: 'Balancing' })

/** Requests by which Caddy checks whether an upstream is up. */
export const ActiveHealth = z
  .strictObject({
    path: z.string().min(1).max(2048).default('/'),
    interval: z.number().min(2).max(3600).default(30).meta({ description: 'Seconds' }),
    timeout: z.number().min(0.1).max(60).default(5).meta({ description: 'Seconds' }),
    expect_status: z
      .int()
      .min(2)
      .max(599)
      .refine((status) => status <= 5 || status >= 100, 'must be a class (2 to 5) or a status (100 to 599)')
      .default(2)
      .meta({ description: 'A class, 2 for 200 to 299, or one status' }),
    host_header: z.string().min(1).max(253).nullable().default(null),
    passes: z.int().min(1).max(10).default(1),
    fails: z.int().min(1).max(10).default(1),
  })
  .meta({ id: 'ActiveHealth' })

/** Passive health checks: signs in real traffic that an upstream is down. */
export const PassiveHealth = z
  .strictObject({
    fail_duration: seconds(3600).default(30).meta({ description: 'Seconds a failure is remembered' }),
    max_fails: z.int().min(1).max(100).default(1),
    unhealthy_status: z
      .array(
        z
          .int()
          .min(1)
          .max(599)
          .refine((status) => status <= 5 || status >= 100, 'must be a class (1 to 5) or a status (100 to 599)'),
      )
      .max(32)
      .default([]),
    unhealthy_latency: seconds(600).nullable().default(null).meta({ description: 'Seconds' }),
  })
  .meta({ id: 'PassiveHealth' })

export const UpstreamHealth = z
  .strictObject({
    active: ActiveHealth.nullable().default(null),
    passive: PassiveHealth.nullable().default(null),
  })
  .meta({ id: 'UpstreamHealth' })

/** Timeouts for upstreams. All in seconds; null leaves Caddy's default. */
export const Timeouts = z
  .strictObject({
    dial: z.number().min(0.1).max(300).nullable().default(null),
    read: z.number().min(0.1).max(86_400).nullable().default(null),
    write: z.number().min(0.1).max(86_400).nullable().default(null),
    flush: z.enum(['auto', 'immediate']).default('auto'),
    websocket_close_delay: seconds(86_400).nullable().default(null).meta({
      description: 'Seconds an open WebSocket survives a change of the configuration; null takes the setting',
    }),
  })
  .meta({ id: 'Timeouts' })

/** TLS and HTTP settings for upstreams. */
export const UpstreamTls = z
  .strictObject({
    verify: z.boolean().default(true),
    server_name: z.string().min(1).max(253).nullable().default(null),
    ca_id: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .meta({ description: 'Uploaded authority instead of the usual ones' }),
    http_versions: z
      .array(z.enum(['1.1', '2']))
      .max(2)
      .default([])
      .meta({ description: 'Empty leaves the choice to Caddy' }),
  })
  .meta({ id: 'UpstreamTls' })

/** Members of a site or a path of kind proxy. */
export const proxyMembers = {
  upstreams: z.array(Upstream).max(64),
  upstream_host: z.enum(['client', 'upstream']).meta({
    description: 'Which Host header an upstream gets: the one the client sent, or the name of the upstream',
  }),
  lb: Balancing,
  health: UpstreamHealth,
  timeouts: Timeouts,
  upstream_tls: UpstreamTls,
}

/** The members of a site or a path of kind proxy, as they are parsed. */
export type ProxyMembers = { [Member in keyof typeof proxyMembers]: z.output<(typeof proxyMembers)[Member]> }

/** Defaults of a proxy. */
export const proxyDefaults: ProxyMembers = {
  upstreams: [],
  upstream_host: 'client',
  lb: Balancing.parse({}),
  health: UpstreamHealth.parse({}),
  timeouts: Timeouts.parse({}),
  upstream_tls: UpstreamTls.parse({}),
}
