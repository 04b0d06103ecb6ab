/** A regular expression as a tree. Sets hold the symbols of `name-symbols.ts` that fit at one place. */
export type Expression =
  | { readonly kind: 'set'; readonly symbols: ReadonlySet<number> }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly least: number; readonly most: number }

/** The most places an expression may have once its repetitions are written out, and the deepest groups in groups. */
export const maxPlaces = 512
export const deepestGroup = 40

/** Counts the positions that the expression's automaton distinguishes. */
export function countPlaces(tree: Expression): number {
  switch (tree.kind) {
    case 'set':
      return 1
    case 'repeat':
      return countPlaces(tree.part) * (tree.most === Infinity ? Math.max(tree.least, 1) : tree.most)
    case 'sequence':
    case 'choice':
      return tree.parts.reduce((sum, part) => sum + countPlaces(part), 0)
  }
}
