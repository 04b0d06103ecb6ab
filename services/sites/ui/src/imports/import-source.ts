/** Sources of an import. */
export type SourceKind = 'caddyfile' | 'npm' | 'traefik' | 'nginx' | 'zoraxy' | 'config'

/** Input of an import. */
export type ImportSource =
  | { kind: 'caddyfile'; text: string; raw: boolean }
  | { kind: 'npm'; file: File }
  | { kind: 'traefik' | 'nginx' | 'zoraxy'; text: string }
  | { kind: 'config'; text: string }
  /** Imports the configuration that one of the servers runs. */
  | { kind: 'node'; id: number }

/** The body of a call that imports a source, or says what would happen; throws a `SyntaxError` for a text that is no JSON. */
export function importBody(source: ImportSource, isDryRun: boolean): FormData | string {
  switch (source.kind) {
    case 'npm': {
      const form = new FormData()
      // The server reads the small fields first.
      form.set('dry_run', String(isDryRun))
      form.set('file', source.file, 'database.sqlite')
      return form
    }
    case 'caddyfile':
      return JSON.stringify({ text: source.text, raw: source.raw, dry_run: isDryRun })
    case 'traefik':
    case 'nginx':
    case 'zoraxy':
      return JSON.stringify({ text: source.text, dry_run: isDryRun })
    case 'node':
      return JSON.stringify({ from_node: source.id, dry_run: isDryRun })
    case 'config':
      return JSON.stringify({ config: JSON.parse(source.text) as unknown, dry_run: isDryRun })
  }
}
