/** Returns the values of a form that differ from the stored settings; an emptied number counts as no change. */
export function changedValues<Stored extends object>(
  values: { readonly [Name in keyof Stored]?: unknown },
  stored: Stored,
): Partial<Stored> {
  const before = { ...stored } as Record<string, unknown>
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name]) && !(value === '' && typeof before[name] === 'number')
  return Object.fromEntries(Object.entries(values).filter(isChanged)) as Partial<Stored>
}
