import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'

type Schemas = components['schemas']
export type CertificateList = Schemas['CertificateList']
export type HostCertificate = Schemas['HostCertificate']
export type CertificateGrade = Schemas['CertificateGrade']
export type GradeHistory = Schemas['GradeHistory']
export type UploadedCertificate = Schemas['UploadedCertificate']
export type HistoryRange = GradeHistory['range_key']

/** The certificates hosts show; events keep them fresh. */
export const useCertificates = () =>
  useQuery({
    queryKey: [...keys.certificates, 'hosts'],
    queryFn: () => answer(api.GET('/api/v1/certificates')),
  })

/** Grades by the week. */
export const useGradeHistory = (range: HistoryRange) =>
  useQuery({
    queryKey: [...keys.certificates, 'grades', range],
    queryFn: () => answer(api.GET('/api/v1/certificates/grades', { params: { query: { range_key: range } } })),
  })

/** Certificates people brought themselves. */
export const useUploads = (isWanted = true) =>
  useQuery({
    queryKey: [...keys.certificates, 'uploads'],
    queryFn: () => answer(api.GET('/api/certificates')),
    enabled: isWanted,
  })

/** Uploaded certificates or authorities as options of a select. */
export function useUploadOptions(kind: UploadedCertificate['kind'], isWanted = true) {
  const { data } = useUploads(isWanted)
  const fitting = (data?.certificates ?? []).filter((upload) => upload.kind === kind)
  return fitting.map(({ id, name, names }) => ({
    value: id,
    label: names.length === 0 ? name : `${name} (${names.slice(0, 2).join(', ')})`,
  }))
}
