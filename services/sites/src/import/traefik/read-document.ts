import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../config/json-location.ts'
import { TraefikUnreadable } from './traefik-unreadable.ts'

/** Reads a dynamic configuration in YAML or TOML. Throws `TraefikUnreadable`. */
export function readTraefikDocument(text: string): Readonly<Record<string, unknown>> {
  const document = parse(text)
  if (!isObject(document)) throw new TraefikUnreadable('holds no configuration')
  if (['http', 'tcp', 'udp', 'tls'].some((name) => isObject(document[name]))) return document
  const isStatic = ['entryPoints', 'providers', 'certificatesResolvers', 'api'].some((name) => name in document)
  throw new TraefikUnreadable(
    isStatic
      ? 'is the static configuration; routers stand in the files that its provider `file` reads'
      : 'has none of http, tcp, udp and tls',
  )
}

function parse(text: string): unknown {
  const isToml = /^[ \t]*\[{1,2}[\w."' -]+\]{1,2}[ \t]*(?:#.*)?$/m.test(text)
  try {
    return isToml ? parseToml(text) : (parseYaml(text, { maxAliasCount: 100, logLevel: 'error' }) as unknown)
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n')
    throw new TraefikUnreadable(`cannot be read as ${isToml ? 'TOML' : 'YAML'}: ${line.slice(0, 200)}`)
  }
}
