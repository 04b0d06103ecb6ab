import { answer, formatCount, useAction } from '@hearth/ui'
import { api, keys, type ImportAnswer } from '../api.ts'
import { requestedKind, type Choices } from '../submit/choices.ts'

/** Addresses to download, and the list that they come from. */
export interface ImportRequest {
  urls: readonly string[]
  choices: Choices
  list?: string
}

/** Addresses in one request. */
const perRequest = 500

/** The action that downloads many addresses. */
export function useImport(onDone: (result: ImportAnswer) => void) {
  return useAction<ImportRequest, ImportAnswer>({
    run: sendAll,
    done: (result) => importText(result),
    renew: [keys.imports],
    onDone,
  })
}

async function sendAll({ urls, choices, list }: ImportRequest): Promise<ImportAnswer> {
  const answers: ImportAnswer[] = []
  for (let index = 0; index < urls.length; index += perRequest) {
    const body = {
      urls: urls.slice(index, index + perRequest),
      ...requestedKind(choices),
      ...(list === undefined ? {} : { list }),
    } as const
    answers.push(await answer(api.POST('/api/imports', { body })))
  }
  return joinAnswers(answers)
}

/** The answers to the parts of an import as one. */
export function joinAnswers(answers: readonly ImportAnswer[]): ImportAnswer {
  const sum = (count: 'added' | 'duplicates' | 'refused') => answers.reduce((all, one) => all + one[count], 0)
  return {
    added: sum('added'),
    duplicates: sum('duplicates'),
    refused: sum('refused'),
    results: answers.flatMap(({ results }) => results),
  }
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
