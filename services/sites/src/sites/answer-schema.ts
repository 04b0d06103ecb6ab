import { z } from 'zod'

export const RedirectCode = z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)])

/** Sends every request elsewhere. */
export const RedirectTarget = z
  .strictObject({
    to: z.string().min(1).max(2048).meta({ description: 'An http or https address, or a path that starts with /' }),
    code: RedirectCode.default(308),
    keep_path: z.boolean().default(true).meta({ description: 'Appends path and query of the request' }),
  })
  .meta({ id: 'RedirectTarget' })

/** Files of a directory on the node. */
export const StaticFiles = z
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

/** One fixed answer. */
export const FixedAnswer = z
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

/** A site or a path as far as Caddy answers itself. */
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
