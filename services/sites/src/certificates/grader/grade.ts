/** Grades, best first; T is not trusted, M is a certificate for another name. */
export const grades = ['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F', 'T', 'M'] as const
export type Grade = (typeof grades)[number]

/** The worse of two grades. */
export const worse = (one: Grade, other: Grade): Grade => (grades.indexOf(one) > grades.indexOf(other) ? one : other)
