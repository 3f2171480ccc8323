/** Where the libraries are that the probes call. */
export interface Libraries {
  coreFoundation: string;
  ioKit: string;
  coreGraphics: string;
  coreAudio: string;
  foundation: string;
  objectiveC: string;
  system: string;
}

const frameworkPath = (name: string): string =>
  `/System/Library/Frameworks/${name}.framework/${name}`;

/** Apple's own, by absolute paths; signed code of the system passes library validation. */
export const SYSTEM_LIBRARIES: Libraries = {
  coreFoundation: frameworkPath('CoreFoundation'),
  ioKit: frameworkPath('IOKit'),
  coreGraphics: frameworkPath('CoreGraphics'),
  coreAudio: frameworkPath('CoreAudio'),
  foundation: frameworkPath('Foundation'),
  objectiveC: '/usr/lib/libobjc.A.dylib',
  system: '/usr/lib/libSystem.B.dylib',
};
