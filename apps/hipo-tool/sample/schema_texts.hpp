#pragma once
// The experiment's own bank definitions, those of them that the sample uses, as compact schema text
// (docs/format.md section 6.2). Being constants, they let BankRows check at compile time that a row
// is written with the columns of its bank.

#include <string_view>

namespace hipotool::app::sample {

// The run, its clock, beam and helicity.
inline constexpr std::string_view kRunConfig =
    "{RUN::config/10000/11}{run/I,event/I,unixtime/I,trigger/L,timestamp/L,type/B,mode/B,"
    "torus/F,solenoid/F}";
inline constexpr std::string_view kRunRf = "{RUN::rf/10000/12}{id/S,time/F}";
inline constexpr std::string_view kRunTrigger = "{RUN::trigger/10000/13}{id/I,trigger/I}";
inline constexpr std::string_view kRunScaler =
    "{RUN::scaler/10000/14}{fcupgated/F,fcup/F,livetime/F}";
inline constexpr std::string_view kRunFilter = "{RUN::filter/10000/15}{json/B}";
inline constexpr std::string_view kHelOnline = "{HEL::online/22000/13}{helicity/B,helicityRaw/B}";
inline constexpr std::string_view kHelFlip =
    "{HEL::flip/22000/12}{run/I,event/I,timestamp/L,helicity/B,helicityRaw/B,pair/B,pattern/B,"
    "status/B}";
inline constexpr std::string_view kHelScaler =
    "{HEL::scaler/10000/16}{fcupgated/F,fcup/F,slmgated/F,slm/F,clockgated/F,clock/F,"
    "helicity/B,helicityRaw/B}";
inline constexpr std::string_view kRawScaler =
    "{RAW::scaler/20000/13}{crate/B,slot/B,channel/S,helicity/B,quartet/B,value/L}";
inline constexpr std::string_view kRawEpics = "{RAW::epics/20000/15}{json/B}";
inline constexpr std::string_view kRawVtp = "{RAW::vtp/20000/14}{crate/B,word/I}";
inline constexpr std::string_view kRasterPosition = "{RASTER::position/22200/21}{x/F,y/F}";
inline constexpr std::string_view kCoatConfig = "{COAT::config/10000/17}{json/B}";

// Calorimeters and Cherenkov counters.
inline constexpr std::string_view kEcalHits =
    "{ECAL::hits/20700/21}{id/S,clusterId/S,status/S,sector/B,layer/B,strip/B,peakid/B,"
    "energy/F,time/F}";
inline constexpr std::string_view kEcalPeaks =
    "{ECAL::peaks/20700/22}{id/S,status/S,sector/B,layer/B,energy/F,time/F,xo/F,yo/F,zo/F,xe/F,"
    "ye/F,ze/F,width/F}";
inline constexpr std::string_view kEcalClusters =
    "{ECAL::clusters/20700/23}{id/S,status/S,sector/B,layer/B,x/F,y/F,z/F,energy/F,time/F,"
    "widthU/F,widthV/F,widthW/F,idU/B,idV/B,idW/B,coordU/I,coordV/I,coordW/I}";
inline constexpr std::string_view kEcalCalib =
    "{ECAL::calib/20700/24}{sector/B,layer/B,size/F,dbstU/S,dbstV/S,dbstW/S,rawEU/F,rawEV/F,"
    "rawEW/F,recEU/F,recEV/F,recEW/F,recDTU/F,recDTV/F,recDTW/F,recFTU/F,recFTV/F,recFTW/F}";
inline constexpr std::string_view kEcalMoments =
    "{ECAL::moments/20700/25}{distU/F,distV/F,distW/F,m1u/F,m1v/F,m1w/F,m2u/F,m2v/F,m2w/F,"
    "m3u/F,m3v/F,m3w/F}";
inline constexpr std::string_view kHtccRec =
    "{HTCC::rec/21500/22}{id/S,nhits/S,nphe/F,ntheta/S,nphi/S,mintheta/S,maxtheta/S,minphi/S,"
    "maxphi/S,time/F,theta/F,dtheta/F,phi/F,dphi/F,x/F,y/F,z/F}";
inline constexpr std::string_view kLtccClusters =
    "{LTCC::clusters/21600/22}{id/S,status/B,sector/B,segment/S,x/F,y/F,z/F,nphe/F,time/F,"
    "nHits/S,minTheta/F,maxTheta/F,minPhi/F,maxPhi/F}";

// Time of flight.
inline constexpr std::string_view kFtofRawhits =
    "{FTOF::rawhits/21200/20}{id/S,status/S,sector/B,layer/B,component/S,energy_left/F,"
    "energy_right/F,time_left/F,time_right/F,energy_left_unc/F,energy_right_unc/F,"
    "time_left_unc/F,time_right_unc/F}";
inline constexpr std::string_view kFtofHits =
    "{FTOF::hits/21200/31}{id/S,status/S,trackid/S,sector/B,layer/B,component/S,energy/F,"
    "time/F,energy_unc/F,time_unc/F,x/F,y/F,z/F,x_unc/F,y_unc/F,z_unc/F,tx/F,ty/F,tz/F,"
    "adc_idx1/S,adc_idx2/S,tdc_idx1/S,tdc_idx2/S,clusterid/S,pathLength/F,pathLengthThruBar/F}";
inline constexpr std::string_view kFtofClusters =
    "{FTOF::clusters/21200/32}{id/S,status/S,trackid/S,size/S,sector/B,layer/B,component/S,"
    "energy/F,time/F,energy_unc/F,time_unc/F,x/F,y/F,z/F,pathLengthThruBar/F}";
inline constexpr std::string_view kCtofHits =
    "{CTOF::hits/20400/21}{id/S,status/S,trkID/S,sector/B,layer/B,component/S,energy/F,time/F,"
    "energy_unc/F,time_unc/F,x/F,y/F,z/F,x_unc/F,y_unc/F,z_unc/F,tx/F,ty/F,tz/F,adc_idx1/S,"
    "adc_idx2/S,tdc_idx1/S,tdc_idx2/S,clusterid/S,pathLength/F,pathLengthThruBar/F}";
inline constexpr std::string_view kCtofClusters =
    "{CTOF::clusters/20400/22}{id/S,status/S,trackid/S,size/S,sector/B,layer/B,component/S,"
    "energy/F,time/F,energy_unc/F,time_unc/F,x/F,y/F,z/F,pathLengthThruBar/F}";
inline constexpr std::string_view kCndHits =
    "{CND::hits/20300/21}{id/S,status/S,trkID/S,clusterid/S,sector/B,layer/B,component/S,"
    "energy/F,time/F,energy_unc/F,time_unc/F,x/F,y/F,z/F,x_unc/F,y_unc/F,z_unc/F,tx/F,ty/F,"
    "tz/F,tlength/F,pathlength/F,indexLadc/S,indexRadc/S,indexLtdc/S,indexRtdc/S}";
inline constexpr std::string_view kCndClusters =
    "{CND::clusters/20300/22}{id/S,sector/B,layer/B,component/S,size/S,energy/F,x/F,y/F,z/F,"
    "time/F,status/S,layermult/B,layer1/B,layer2/B,layer3/B,pathLengthThruBar/F}";
inline constexpr std::string_view kBandHits =
    "{BAND::hits/22100/21}{id/S,sector/B,layer/B,component/S,energy/F,time/F,x/F,y/F,z/F,ex/F,"
    "ey/F,ez/F,timeFadc/F,difftime/F,difftimeFadc/F,indexLpmt/S,indexRpmt/S,status/S}";

// Tracking.
inline constexpr std::string_view kBstRecCrosses =
    "{BSTRec::Crosses/20200/25}{ID/S,sector/B,region/B,x/F,y/F,z/F,err_x/F,err_y/F,err_z/F,"
    "x0/F,y0/F,z0/F,err_x0/F,err_y0/F,err_z0/F,ux/F,uy/F,uz/F,Cluster1_ID/S,Cluster2_ID/S,"
    "trkID/S}";
inline constexpr std::string_view kBmtRecCrosses =
    "{BMTRec::Crosses/20100/25}{ID/S,sector/B,region/B,layer/B,x/F,y/F,z/F,err_x/F,err_y/F,"
    "err_z/F,x0/F,y0/F,z0/F,err_x0/F,err_y0/F,err_z0/F,ux/F,uy/F,uz/F,Cluster1_ID/S,"
    "Cluster2_ID/S,trkID/S}";
inline constexpr std::string_view kCvtRecSeeds =
    "{CVTRec::Seeds/20500/25}{ID/S,fittingMethod/B,q/B,p/F,pt/F,phi0/F,tandip/F,z0/F,d0/F,"
    "cov_d02/F,cov_d0phi0/F,cov_d0rho/F,cov_phi02/F,cov_phi0rho/F,cov_rho2/F,cov_z02/F,"
    "cov_z0tandip/F,cov_tandip2/F,circlefit_chi2_per_ndf/F,linefit_chi2_per_ndf/F,chi2/F,ndf/S,"
    "Cross1_ID/S,Cross2_ID/S,Cross3_ID/S,Cross4_ID/S,Cross5_ID/S,Cross6_ID/S,Cross7_ID/S,"
    "Cross8_ID/S,Cross9_ID/S,xb/F,yb/F,fracmctru/F,fracmcmatch/F}";
inline constexpr std::string_view kCvtRecTracks =
    "{CVTRec::Tracks/20500/26}{ID/S,nKFIters/B,c_x/F,c_y/F,c_z/F,c_ux/F,c_uy/F,c_uz/F,"
    "pathlength/F,q/B,p/F,pt/F,phi0/F,tandip/F,z0/F,d0/F,cov_d02/F,cov_d0phi0/F,cov_d0rho/F,"
    "cov_phi02/F,cov_phi0rho/F,cov_rho2/F,cov_z02/F,cov_z0tandip/F,cov_tandip2/F,chi2/F,ndf/S,"
    "pid/I,Cross1_ID/S,Cross2_ID/S,Cross3_ID/S,Cross4_ID/S,Cross5_ID/S,Cross6_ID/S,Cross7_ID/S,"
    "Cross8_ID/S,Cross9_ID/S,seedID/S,xb/F,yb/F,status/S}";
inline constexpr std::string_view kDcCrosses =
    "{TimeBasedTrkg::TBCrosses/20600/35}{id/S,status/S,sector/B,region/B,x/F,y/F,z/F,err_x/F,"
    "err_y/F,err_z/F,ux/F,uy/F,uz/F,err_ux/F,err_uy/F,err_uz/F,Segment1_ID/S,Segment2_ID/S}";
inline constexpr std::string_view kDcTracks =
    "{TimeBasedTrkg::TBTracks/20600/36}{id/S,status/S,sector/B,c1_x/F,c1_y/F,c1_z/F,c1_ux/F,"
    "c1_uy/F,c1_uz/F,c3_x/F,c3_y/F,c3_z/F,c3_ux/F,c3_uy/F,c3_uz/F,t1_x/F,t1_y/F,t1_z/F,t1_px/F,"
    "t1_py/F,t1_pz/F,Vtx0_x/F,Vtx0_y/F,Vtx0_z/F,p0_x/F,p0_y/F,p0_z/F,Cross1_ID/S,Cross2_ID/S,"
    "Cross3_ID/S,Cluster1_ID/S,Cluster2_ID/S,Cluster3_ID/S,Cluster4_ID/S,Cluster5_ID/S,"
    "Cluster6_ID/S,q/B,pathlength/F,chi2/F,ndf/S,ndf0/S}";

// Forward tagger and RICH.
inline constexpr std::string_view kFtcalClusters =
    "{FTCAL::clusters/21000/22}{size/S,id/S,x/F,y/F,z/F,widthX/F,widthY/F,radius/F,time/F,"
    "energy/F,maxEnergy/F,recEnergy/F}";
inline constexpr std::string_view kFthodoClusters =
    "{FTHODO::clusters/21100/22}{size/S,id/S,x/F,y/F,z/F,widthX/F,widthY/F,radius/F,time/F,"
    "energy/F}";
inline constexpr std::string_view kFtParticles =
    "{FT::particles/20900/24}{id/S,charge/B,energy/F,cx/F,cy/F,cz/F,vx/F,vy/F,vz/F,time/F,"
    "calID/S,hodoID/S,trk0ID/S,trk1ID/S}";
inline constexpr std::string_view kRichHadron =
    "{RICH::Hadron/21800/38}{id/S,hindex/S,pindex/B,sector/B,traced_the/F,traced_phi/F,"
    "traced_hitx/F,traced_hity/F,traced_hitz/F,traced_time/F,traced_path/F,traced_mchi2/F,"
    "traced_ilay/S,traced_ico/S,traced_emix/F,traced_emiy/F,traced_emiz/F,etaC_dir/F,"
    "etaC_lat/F,etaC_sphe/F,etaC_rms/F}";
inline constexpr std::string_view kRichRing =
    "{RICH::Ring/21800/36}{id/S,hindex/S,pindex/B,sector/B,pmt/S,anode/B,hypo/I,dtime/F,etaC/F,"
    "prob/F,use/B,dangle/F,layers/I,compos/I}";
inline constexpr std::string_view kRichParticle =
    "{RICH::Particle/21800/37}{id/B,hindex/S,pindex/B,emilay/B,emico/B,enico/B,emqua/S,mchi2/F,"
    "mass/F,best_PID/S,RQ/F,ReQ/F,el_logl/F,pi_logl/F,k_logl/F,pr_logl/F,best_ch/F,best_c2/F,"
    "best_RL/F,best_ntot/F,best_mass/F}";

// The event builder's view.
inline constexpr std::string_view kRecEvent =
    "{REC::Event/300/30}{category/L,topology/L,beamCharge/F,liveTime/D,startTime/F,RFTime/F,"
    "helicity/B,helicityRaw/B,procTime/F}";
inline constexpr std::string_view kRecParticle =
    "{REC::Particle/300/31}{pid/I,px/F,py/F,pz/F,vx/F,vy/F,vz/F,vt/F,charge/B,beta/F,chi2pid/F,"
    "status/S}";
inline constexpr std::string_view kRecCalorimeter =
    "{REC::Calorimeter/300/32}{index/S,pindex/S,detector/B,sector/B,layer/B,energy/F,time/F,"
    "path/F,chi2/F,x/F,y/F,z/F,hx/F,hy/F,hz/F,lu/F,lv/F,lw/F,du/F,dv/F,dw/F,m2u/F,m2v/F,m2w/F,"
    "m3u/F,m3v/F,m3w/F,status/S}";
inline constexpr std::string_view kRecCaloExtras =
    "{REC::CaloExtras/300/46}{dbstU/S,dbstV/S,dbstW/S,rawEU/F,rawEV/F,rawEW/F,recEU/F,recEV/F,"
    "recEW/F,recDTU/F,recDTV/F,recDTW/F,recFTU/F,recFTV/F,recFTW/F,size/F}";
inline constexpr std::string_view kRecCherenkov =
    "{REC::Cherenkov/300/33}{index/S,pindex/S,detector/B,sector/B,nphe/F,time/F,path/F,chi2/F,"
    "x/F,y/F,z/F,dtheta/F,dphi/F,status/S}";
inline constexpr std::string_view kRecForwardTagger =
    "{REC::ForwardTagger/300/34}{index/S,pindex/S,detector/B,layer/B,energy/F,time/F,path/F,"
    "chi2/F,x/F,y/F,z/F,dx/F,dy/F,radius/F,size/S,status/S}";
inline constexpr std::string_view kRecScintillator =
    "{REC::Scintillator/300/35}{index/S,pindex/S,detector/B,sector/B,layer/B,component/S,"
    "energy/F,time/F,path/F,chi2/F,x/F,y/F,z/F,hx/F,hy/F,hz/F,status/S}";
inline constexpr std::string_view kRecScintExtras =
    "{REC::ScintExtras/300/43}{dedx/F,size/S,layermult/B}";
inline constexpr std::string_view kRecTrack =
    "{REC::Track/300/36}{index/S,pindex/S,detector/B,sector/B,status/S,q/B,chi2/F,NDF/S,"
    "hbindex/S}";
inline constexpr std::string_view kRecUTrack =
    "{REC::UTrack/300/44}{index/S,pindex/S,detector/B,sector/B,status/S,q/B,chi2/F,NDF/S,"
    "hbindex/S,px/F,py/F,pz/F,vx/F,vy/F,vz/F}";
inline constexpr std::string_view kRecCovMat =
    "{REC::CovMat/300/38}{index/S,pindex/S,C11/F,C12/F,C13/F,C14/F,C15/F,C22/F,C23/F,C24/F,"
    "C25/F,C33/F,C34/F,C35/F,C44/F,C45/F,C55/F}";
inline constexpr std::string_view kRecVertDoca =
    "{REC::VertDoca/300/39}{index1/S,index2/S,x/F,y/F,z/F,x1/F,y1/F,z1/F,cx1/F,cy1/F,cz1/F,"
    "x2/F,y2/F,z2/F,cx2/F,cy2/F,cz2/F,r/F}";
inline constexpr std::string_view kRecTraj =
    "{REC::Traj/300/40}{pindex/S,index/S,detector/B,layer/B,x/F,y/F,z/F,cx/F,cy/F,cz/F,path/F,"
    "edge/F}";
inline constexpr std::string_view kRecFtEvent = "{RECFT::Event/300/41}{category/L,startTime/F}";
inline constexpr std::string_view kRecFtParticle =
    "{RECFT::Particle/300/42}{pid/I,vt/F,beta/F,chi2pid/F,status/S,px/F,py/F,pz/F}";

// Simulation; in the dictionary only.
inline constexpr std::string_view kMcEvent =
    "{MC::Event/40/1}{npart/S,atarget/S,ztarget/S,ptarget/F,pbeam/F,btype/S,ebeam/F,targetid/S,"
    "processid/S,weight/F}";
inline constexpr std::string_view kMcParticle =
    "{MC::Particle/40/2}{pid/I,px/F,py/F,pz/F,vx/F,vy/F,vz/F,vt/F}";
inline constexpr std::string_view kMcLund =
    "{MC::Lund/40/3}{index/B,lifetime/F,type/B,pid/I,parent/B,daughter/B,px/F,py/F,pz/F,"
    "energy/F,mass/F,vx/F,vy/F,vz/F}";
inline constexpr std::string_view kMcGenMatch =
    "{MC::GenMatch/40/6}{mcindex/S,pindex/S,mclayer1/L,mclayer2/L,player1/L,player2/L,"
    "quality/F}";
inline constexpr std::string_view kMcRecMatch =
    "{MC::RecMatch/40/7}{pindex/S,mcindex/S,player1/L,player2/L,mclayer1/L,mclayer2/L,"
    "quality/F}";

// Digitised hits.
inline constexpr std::string_view kBmtAdc =
    "{BMT::adc/20100/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S,integral/I,"
    "timestamp/L}";
inline constexpr std::string_view kBstAdc =
    "{BST::adc/20200/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S,timestamp/L}";
inline constexpr std::string_view kCndAdc =
    "{CND::adc/20300/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kCndTdc =
    "{CND::tdc/20300/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kCtofAdc =
    "{CTOF::adc/20400/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kCtofTdc =
    "{CTOF::tdc/20400/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kDcTdc =
    "{DC::tdc/20600/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kEcalAdc =
    "{ECAL::adc/20700/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kEcalTdc =
    "{ECAL::tdc/20700/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kFtcalAdc =
    "{FTCAL::adc/21000/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kFthodoAdc =
    "{FTHODO::adc/21100/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kFtofAdc =
    "{FTOF::adc/21200/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kFtofTdc =
    "{FTOF::tdc/21200/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kHtccAdc =
    "{HTCC::adc/21500/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kLtccAdc =
    "{LTCC::adc/21600/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kRfTdc =
    "{RF::tdc/21700/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kRichTdc =
    "{RICH::tdc/21800/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kHelAdc =
    "{HEL::adc/22000/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
inline constexpr std::string_view kBandAdc =
    "{BAND::adc/22100/11}{sector/B,layer/B,component/S,order/B,ADC/I,amplitude/I,time/F,ped/S}";
inline constexpr std::string_view kBandTdc =
    "{BAND::tdc/22100/12}{sector/B,layer/B,component/S,order/B,TDC/I}";
inline constexpr std::string_view kRasterAdc =
    "{RASTER::adc/22200/11}{sector/B,layer/B,component/S,order/B,ADC/I,time/F,ped/S}";
}  // namespace hipotool::app::sample
