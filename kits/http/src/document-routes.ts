import { z } from 'zod'
import { docsFiles } from './docs-page.ts'
import { routeFor, type Route } from './route.ts'
import { printDocs } from './static-docs.ts'

/** Publication of the description of a service's API. */
export interface PublishedDocument {
  /** Name of the service on the pages. */
  readonly title: string
  readonly tag: string
  readonly access: string
  readonly limit: string
  readonly errors?: readonly number[]
  /** The pages are part of the description, and `/redoc` is one of them. */
  readonly listsPages: boolean
  readonly document: () => Promise<Record<string, unknown>>
}

const OpenApiDocument = z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' })

const route = routeFor<Record<string, unknown>, string>()

/** Returns the routes of `/openapi.json` and of the pages that show it: `/docs` to try it out, `/redoc` to read. */
export function documentRoutes(published: PublishedDocument): Route[] {
  const { title, tag, access, limit, errors = [], listsPages, document } = published
  const shared = { method: 'GET', tag, access, limit, errors, compressed: true } as const
  const page = (path: string, summary: string, media: string) => {
    const isListed = listsPages && (path === '/docs' || path === '/redoc')
    const success = {
      status: 200,
      media,
      description: path === '/redoc' ? 'The page' : 'A file of the description',
    } as const
    return { ...shared, path, summary, success, ...(isListed ? {} : { hidden: true as const }) }
  }
  const printed = async () => printDocs(await document(), '/redoc/style.css')
  const printedPages = [
    route(page('/redoc', 'The description as one page to read', 'text/html'), async () => ({
      content: (await printed()).html,
    })),
    route(page('/redoc/style.css', 'Looks of the description', 'text/css'), async () => ({
      content: (await printed()).css,
    })),
  ]
  return [
    ...docsFiles(title, '/openapi.json').map(({ path, media, content }) =>
      route(page(path, `Interactive description: ${path}`, media), () => ({ content: content() })),
    ),
    ...(listsPages ? printedPages : []),
    route(
      {
        ...shared,
        path: '/openapi.json',
        summary: 'This description',
        success: { status: 200, body: OpenApiDocument },
      },
      () => document(),
    ),
  ]
}
