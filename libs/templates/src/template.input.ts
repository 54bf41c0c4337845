/** What a template sees: reserved roots. The keys of the profile are also at the root. */
export interface TemplateData {
  profile: object;
  contact: object;
  campaign: object;
  message: object;
}

/** What a rendering depends on besides the template. */
export interface TemplateInput {
  data: TemplateData;
  /** The current time as the template sees it, in milliseconds since the epoch. */
  now: number;
  /** Rendering fails if the template shows a missing value, or loops over one. */
  strict?: boolean;
}
