/** Levels that a configuration may have; Caddy's own have about twenty. */
const mostLevels = 200

/** A JSON object whose members are not known. */
type Members = Readonly<Record<string, unknown>>

/**
 * Reads what an admin endpoint says it runs: an object or null, with the members this service looks at in their right kinds, and
 * no deeper than can be walked through. Undefined for anything else: then it is no Caddy.
 */
export function readRunning(text: string): { readonly config: object | null } | undefined {
  const config = parseJson(text)
  if (config === null) return { config }
  if (!isMembers(config) || isDeep(config)) return undefined
  const { admin, apps } = config
  return isOptional(apps, isMembers) && isOptional(admin, isAdminBlock) ? { config } : undefined
}

/** The value of a JSON text; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isAdminBlock(value: unknown): boolean {
  if (!isMembers(value)) return false
  const { listen, origins } = value
  return isOptional(listen, isText) && isOptional(origins, (list) => Array.isArray(list) && list.every(isText))
}

/** Whether a value is an object and no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isText = (value: unknown): value is string => typeof value === 'string'

const isOptional = (value: unknown, isRight: (value: unknown) => boolean): boolean =>
  value === undefined || isRight(value)

/** Goes level by level: a recursion would end with the stack. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > mostLevels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
