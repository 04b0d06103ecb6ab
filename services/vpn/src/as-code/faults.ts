import { Problem, problemFields, problemOf } from '../problems.ts'
import type { FilePath, Fault } from './section.ts'

/** What a problem says, at the members of an entry that it names. */
export function faultsAt(path: FilePath, problem: Problem): Fault[] {
  return problemFields(problem).map((field) => ({
    path: [...path, ...field.path.split('.').filter((part) => part !== '')],
    message: field.message,
  }))
}

/** Does the work for one item after the other; returns what could not be done, by the path of its item. */
export async function faultsOf<T>(
  items: readonly T[],
  pathOf: (item: T) => FilePath,
  work: (item: T) => Promise<unknown>,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const item of items) {
    const problem = await problemOf(() => work(item))
    if (problem !== undefined) faults.push(...faultsAt(pathOf(item), problem))
  }
  return faults
}

/** What became of many at once: the problems of those that have one. */
export function faultsOfMany<T>(
  items: readonly T[],
  pathOf: (item: T) => FilePath,
  problems: readonly (Problem | undefined)[],
): Fault[] {
  return items.flatMap((item, index) => {
    const problem = problems[index]
    return problem === undefined ? [] : faultsAt(pathOf(item), problem)
  })
}

/** Makes something of each item; what cannot be made is a fault. */
export function prepared<T, M>(items: readonly T[], pathOf: (item: T) => FilePath, make: (item: T) => M) {
  const faults: Fault[] = []
  const made: { item: T; made: M }[] = []
  for (const item of items) {
    try {
      made.push({ item, made: make(item) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      faults.push(...faultsAt(pathOf(item), error))
    }
  }
  return { faults, items: made }
}
