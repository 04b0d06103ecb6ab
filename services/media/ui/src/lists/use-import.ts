import { answer, formatCount, useAction } from '@hearth/ui'
import { api, keys, type ImportAnswer } from '../api.ts'
import type { Choices } from '../submit/choices.ts'

/** Addresses to download, and the list that they come from. */
export interface ImportRequest {
  urls: readonly string[]
  choices: Choices
  list?: string
}

/** The action that downloads many addresses. */
export function useImport(onDone: (result: ImportAnswer) => void) {
  return useAction<ImportRequest, ImportAnswer>({
    run: ({ urls, choices, list }) =>
      answer(
        api.POST('/api/imports', {
          body: {
            urls: [...urls],
            type: choices.type,
            quality: choices.type === 'audio' ? 'max' : choices.quality,
            ...(list === undefined ? {} : { list }),
          },
        }),
      ),
    done: (result) => importText(result),
    renew: [keys.imports],
    onDone,
  })
}

/** Result of an import in a sentence. */
export function importText({
  added,
  duplicates,
  refused,
}: Pick<ImportAnswer, 'added' | 'duplicates' | 'refused'>): string {
  const parts = [
    added === 0 ? 'Nothing is added' : `${formatCount(added, 'download')} added`,
    duplicates === 0 ? '' : `${duplicates} already there`,
    refused === 0 ? '' : `${refused} refused`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}
