import type { NamedSet, Ruleset } from './ruleset-parts.ts'

/** The table of access rules; nothing outside it is ever touched. */
export const tableName = 'inet hearth_vpn_access'

/** A file that removes the table, whether it is there or not. */
export function encodeRulesetRemoval(): string {
  return `add table ${tableName}\ndelete table ${tableName}\n`
}

/** One file for `nft -f` that replaces the whole table in one step. */
export function encodeRuleset({ sets, chains }: Ruleset): string {
  const lines = [...[...sets].map(setText), ...[...chains].map(chainText)]
  const verdicts = [...sets].filter(([, { kind }]) => kind === 'map')
  return [
    encodeRulesetRemoval(),
    `table ${tableName} {\n${lines.join('')}}\n`,
    ...verdicts.map(([name, set]) => changeOf('add', name, set)),
  ].join('')
}

/**
 * A file that turns one ruleset into another in one transaction, and names only what differs: the elements of a peer that comes,
 * the chains whose rules change. Base chains and types stay as they are.
 */
export function encodeRulesetChange(before: Ruleset, after: Ruleset): string {
  const newSets = [...after.sets].filter(([name]) => !before.sets.has(name))
  const oldSets = [...before.sets.keys()].filter((name) => !after.sets.has(name))
  const newChains = [...after.chains.keys()].filter((name) => !before.chains.has(name))
  const oldChains = [...before.chains.keys()].filter((name) => !after.chains.has(name))
  const keptSets = [...after.sets].flatMap(([name, set]) => {
    const was = before.sets.get(name)
    return was === undefined ? [] : [{ name, set, gone: differing(was, set), come: differing(set, was) }]
  })
  const changed = [...after.chains].filter(([name, lines]) => {
    const was = before.chains.get(name)
    return was !== undefined && was.join('\n') !== lines.join('\n')
  })
  const rules = [...newChains.map((name) => [name, after.chains.get(name) ?? []] as const), ...changed]
  return [
    ...newSets.map(
      ([name, { kind, type, flags }]) =>
        `add ${kind} ${tableName} ${name} { type ${type}; ${flags.map((flag) => `${flag}; `).join('')}}\n`,
    ),
    ...newChains.map((name) => `add chain ${tableName} ${name}\n`),
    ...changed.map(([name]) => `flush chain ${tableName} ${name}\n`),
    ...keptSets.map(({ name, gone }) => changeOf('delete', name, gone)),
    ...newSets.map(([name, set]) => changeOf('add', name, set)),
    ...keptSets.map(({ name, come }) => changeOf('add', name, come)),
    ...rules.flatMap(([name, lines]) =>
      lines.filter((line) => !line.startsWith('type ')).map((line) => `add rule ${tableName} ${name} ${line}\n`),
    ),
    ...oldChains.map((name) => `flush chain ${tableName} ${name}\n`),
    ...oldChains.map((name) => `delete chain ${tableName} ${name}\n`),
    ...oldSets.map((name) => `delete set ${tableName} ${name}\n`),
  ].join('')
}

/** Verdicts of a map's elements name chains, which must stand first; they are added later. */
function setText([name, set]: [string, NamedSet]): string {
  const elements = set.kind === 'set' && set.elements.size > 0 ? `    elements = { ${elementText(set)} }\n` : ''
  const flags = set.flags.map((flag) => `    ${flag}\n`).join('')
  return `  ${set.kind} ${name} {\n    type ${set.type}\n${flags}${elements}  }\n`
}

function chainText([name, rules]: [string, readonly string[]]): string {
  return `  chain ${name} {\n${rules.map((rule) => `    ${rule}\n`).join('')}  }\n`
}

/** Elements of one set that the other has not, or with another verdict. */
function differing(one: NamedSet, other: NamedSet): NamedSet {
  if (one.elements === other.elements) return { ...one, elements: new Map() }
  return {
    ...one,
    elements: new Map([...one.elements].filter(([key, verdict]) => other.elements.get(key) !== verdict)),
  }
}

function changeOf(verb: 'add' | 'delete', name: string, set: NamedSet): string {
  if (set.elements.size === 0) return ''
  const text = verb === 'add' ? elementText(set) : [...set.elements.keys()].join(',\n')
  return `${verb} element ${tableName} ${name} {\n${text}\n}\n`
}

const elementText = ({ kind, elements }: NamedSet): string =>
  [...elements].map(([key, verdict]) => (kind === 'map' ? `${key} : ${verdict}` : key)).join(',\n')
