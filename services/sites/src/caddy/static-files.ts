import type { AnswerMembers } from '../sites/answer-schema.ts'
import { escapeBraces } from './placeholders.ts'

/** Files that lie in many roots and are for nobody's eyes. */
const hidden = ['.git', '.svn', '.hg', '.env', '.htaccess', '.htpasswd', '.DS_Store']

/** Routes that serve files of a directory. */
export function staticRoutes(files: NonNullable<AnswerMembers['static']>): object[] {
  const root = escapeBraces(files.root)
  const serve = {
    handler: 'file_server',
    root,
    index_names: [...files.index],
    hide: hidden,
    ...(files.browse && { browse: {} }),
  }
  if (files.fallback === null) return [{ handle: [serve] }]
  const tryFiles = [
    '{http.request.uri.path}',
    ...files.index.map((name) => `{http.request.uri.path}/${name}`),
    files.fallback,
  ]
  return [
    {
      match: [{ file: { root, try_files: tryFiles } }],
      handle: [{ handler: 'rewrite', uri: '{http.matchers.file.relative}' }],
    },
    { handle: [serve] },
  ]
}
