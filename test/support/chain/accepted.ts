/** The answer of an outside party that must have accepted. */
export function accepted<Answer extends { readonly outcome: string }>(
  answer: Answer,
): Extract<Answer, { readonly outcome: 'accepted' }> {
  if (answer.outcome !== 'accepted') throw new Error(`it was ${answer.outcome}`);
  return answer as Extract<Answer, { readonly outcome: 'accepted' }>;
}
