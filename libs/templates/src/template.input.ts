/** What a template sees: reserved roots, and the keys of the profile beside them. */
export interface TemplateData {
  profile: object;
  contact: object;
  campaign: object;
  message: object;
}

/** What a rendering goes by. */
export interface TemplateInput {
  data: TemplateData;
  /** Milliseconds since the epoch: the present, as the template sees it. */
  now: number;
  /** Fails where the template shows, or goes over, what is not there. */
  strict?: boolean;
}
