import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** One file of the interactive description of an API. */
export interface DocsFile {
  /** Path of the file: `/docs` itself, or below it. */
  readonly path: string
  readonly media: string
  readonly content: () => string
}

/** The interactive description (Swagger UI) of the document at `documentPath`, for a service to serve under `/docs`. */
export function docsFiles(title: string, documentPath: string): readonly DocsFile[] {
  const shipped = (name: string) => () =>
    readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8')
  return [
    { path: '/docs', media: 'text/html', content: () => page(title) },
    { path: '/docs/start.js', media: 'text/javascript', content: () => start(documentPath) },
    { path: '/docs/swagger-ui.css', media: 'text/css', content: shipped('swagger-ui.css') },
    { path: '/docs/swagger-ui-bundle.js', media: 'text/javascript', content: shipped('swagger-ui-bundle.js') },
  ]
}

/** Everything comes from files of this server, so the page needs no exception from its content security policy. */
const page = (title: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const start = (documentPath: string): string =>
  `SwaggerUIBundle(${JSON.stringify({ url: documentPath, dom_id: '#docs', deepLinking: true, tryItOutEnabled: true, validatorUrl: null })})\n`
