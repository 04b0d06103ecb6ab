import type { Catalog } from '../catalog/catalog.ts'
import { invalid } from '../problems.ts'

/** Checks the names of values that are published again and again; throws a 422 that names `metrics`. */
export function checkPublishedNames(names: readonly string[], catalog: Catalog): void {
  for (const [index, name] of names.entries()) {
    const object = catalog.byName(name)
    if (object === undefined) throw invalid('metrics', `names the unknown metric ${name}`)
    if (object.isAction) throw invalid('metrics', `names ${name}, an action that has no value`)
    if (names.indexOf(name) !== index) throw invalid('metrics', `names ${name} twice`)
  }
}
