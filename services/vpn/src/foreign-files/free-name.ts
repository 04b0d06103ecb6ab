import { nameKey } from '../envelope.ts'

/** The name, with a number behind it when it is taken; at most so many characters. It is taken afterwards. */
export function freeName(wanted: string, taken: Set<string>, maxLength: number): string {
  let name = wanted.slice(0, maxLength).trimEnd()
  for (let number = 2; taken.has(nameKey(name)); number += 1) {
    const ending = ` ${number}`
    name = wanted.slice(0, maxLength - ending.length).trimEnd() + ending
  }
  taken.add(nameKey(name))
  return name
}
